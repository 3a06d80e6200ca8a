import { NodeFault } from '@switchyard/machine/browser';
import type * as node from './time-limit.node.ts';

/* A page ends the worker that executes: nothing else in it waits for the block. */

export const nowRuns: typeof node.nowRuns = () => undefined;
export const withTimeLimit: typeof node.withTimeLimit = (_, work) => work();
export class Overtime extends NodeFault {}
