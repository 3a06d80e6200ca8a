import { fields } from './config.ts';
import { runConductor } from './run.ts';

/** The process, for its own program and for a program that runs several. */
export const conductor = { name: 'conductor', fields, main: runConductor };
