import type { JsonRpcBounds } from './bounds.ts';

type UnsentBounds = Pick<JsonRpcBounds, 'maxUnsentBytes' | 'maxUnsentBytesTotal'>;

interface Notified {
  /** Bytes that were sent to it and that it has not taken. */
  readonly unreadBytes: number;
}

/** Reader that lags too far behind to keep more for `next`: itself or, where all together lag, the one that lags most. */
export function laggingOf<N extends Notified>(next: N, all: Iterable<N>, bounds: UnsentBounds): N | undefined {
  if (next.unreadBytes === 0) return undefined;
  if (next.unreadBytes > bounds.maxUnsentBytes) return next;
  let total = 0;
  let most = next;
  for (const each of all) {
    total += each.unreadBytes;
    if (each.unreadBytes > most.unreadBytes) most = each;
  }
  return total > bounds.maxUnsentBytesTotal ? most : undefined;
}
