import { fields } from './config.ts';
import { runNode } from './node.ts';

/** The process, for its own program and for a program that runs several. */
export const sequencer = { name: 'sequencer', fields, main: runNode };
