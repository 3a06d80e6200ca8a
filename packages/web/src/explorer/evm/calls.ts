import type { Call } from '@switchyard/explorer/contract';

/** A call of a trace with the calls that it made. */
export interface CallNode<C = Call> {
  readonly call: C;
  readonly calls: CallNode<C>[];
}

/** The tree of a trace, which lists each call before its inner calls, with its depth. */
export function callTree<C extends Pick<Call, 'depth'>>(calls: readonly C[]): CallNode<C>[] {
  const roots: CallNode<C>[] = [];
  const open: CallNode<C>[] = [];
  for (const call of calls) {
    const node = { call, calls: [] };
    open.length = Math.min(call.depth, open.length);
    (open.at(-1)?.calls ?? roots).push(node);
    open.push(node);
  }
  return roots;
}
