import type { JsonRpcBounds } from './bounds.ts';

type UnsentBounds = Pick<JsonRpcBounds, 'maxUnsentBytes' | 'maxUnsentBytesTotal'>;

interface Notified {
  /** Bytes of notifications that it has not taken. */
  readonly unsentBytes: number;
}

/** Reader that lags too far behind to keep more for `next`: itself or, if all together lag, the one lagging most. */
export function findLagging<N extends Notified>(next: N, all: Iterable<N>, bounds: UnsentBounds): N | undefined {
  if (next.unsentBytes === 0) return undefined;
  if (next.unsentBytes > bounds.maxUnsentBytes) return next;
  let total = 0;
  let most = next;
  for (const each of all) {
    total += each.unsentBytes;
    if (each.unsentBytes > most.unsentBytes) most = each;
  }
  return total > bounds.maxUnsentBytesTotal ? most : undefined;
}
