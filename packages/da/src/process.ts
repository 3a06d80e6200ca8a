import { fields } from './config.ts';
import { runDa } from './run.ts';

/** The process, for its own program and for a program that runs several. */
export const da = { name: 'da', fields, main: runDa };
