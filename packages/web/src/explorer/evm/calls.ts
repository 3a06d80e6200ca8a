import type { Input } from '@switchyard/client/http-api';

/** A call of a trace with the calls that it made. */
export interface CallNode {
  readonly call: Input;
  readonly calls: readonly CallNode[];
}

interface Growing {
  readonly call: Input;
  readonly calls: Growing[];
}

/** The tree of a trace, which lists each call before those that it made, with its depth. */
export function callTree(calls: readonly Input[]): CallNode[] {
  const roots: Growing[] = [];
  const open: Growing[] = [];
  for (const call of calls) {
    const node = { call, calls: [] };
    open.length = Math.min(call.at('depth').integer(), open.length);
    (open.at(-1)?.calls ?? roots).push(node);
    open.push(node);
  }
  return roots;
}
