import { fields } from './config.ts';
import { runRelayer } from './run.ts';

/** The process, for its own program and for a program that runs several. */
export const relayer = { name: 'relayer', fields, main: runRelayer };
