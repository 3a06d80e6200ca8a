import { fields } from './config.ts';
import { runExplorer } from './run.ts';

/** The process, for its own program and for a program that runs several. */
export const explorer = { name: 'explorer', fields, main: runExplorer };
