import { register } from 'node:module';
import { MUTANTS } from './mutants.ts';

/* Loaded before a program, plants the defect that `SWITCHYARD_MUTANT` names into it. */

const name = process.env.SWITCHYARD_MUTANT;
const mutant = MUTANTS.find((each) => each.name === name);
if (mutant === undefined) throw new Error(`SWITCHYARD_MUTANT: there is no mutant ${name}`);
register(new URL('./plant-hooks.js', import.meta.url), { data: mutant });
