import { fields } from './config.ts';
import { runFaucet } from './run.ts';

/** The process, for its own program and for a program that runs several. */
export const faucet = { name: 'faucet', fields, main: runFaucet };
