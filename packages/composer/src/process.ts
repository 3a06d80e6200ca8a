import { fields } from './config.ts';
import { runComposer } from './run.ts';

/** The process, for its own program and for a program that runs several. */
export const composer = { name: 'composer', fields, main: runComposer };
