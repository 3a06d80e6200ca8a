import type { PoolCore } from './core.ts';

/** @returns what shows the pool's numbers as they are now. */
export function observePool({ deps: { metrics }, entries }: PoolCore): () => void {
  if (metrics === undefined) return () => undefined;
  const sent = metrics.gauge('pool_sent_transactions', 'transactions that the composer has and no block yet');
  const held = metrics.gauge('pool_held_transactions', 'transactions that wait here for a nonce before them');
  const bytes = metrics.gauge('pool_bytes', 'bytes of all of them');
  return () => {
    sent.set(entries.sentCount);
    held.set(entries.heldCount);
    bytes.set(entries.sentBytes + entries.heldBytes);
  };
}
