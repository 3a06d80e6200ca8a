import { fields } from './config.ts';
import { runWithdrawer } from './run.ts';

/** The process, for its own program and for a program that runs several. */
export const withdrawer = { name: 'withdrawer', fields, main: runWithdrawer };
