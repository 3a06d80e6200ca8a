import type { Hash } from '@switchyard/evm-machine/types';
import type { Pool, PoolTransaction } from '../../pool/pool.ts';

export interface MemoryPool extends Pool {
  add(...transactions: readonly PoolTransaction[]): void;
}

/** A pool of given transactions. */
export function memoryPool(): MemoryPool {
  const all = new Map<Hash, PoolTransaction>();
  const listeners = new Set<(transaction: PoolTransaction) => void>();
  return {
    send: () => Promise.reject(new Error('this pool takes nothing')),
    get: (hash) => all.get(hash),
    status: async () => ({ status: 'unknown' }),
    nextNonce: () => 9n,
    counts: { sent: 0, held: 0 },
    ofSender: () => [],
    content: () => ({ pending: new Map(), queued: new Map() }),
    pending: (limit) => [...all.values()].slice(0, limit),
    onPending(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add(...transactions) {
      for (const transaction of transactions) {
        all.set(transaction.hash, transaction);
        for (const listener of listeners) listener(transaction);
      }
    },
  };
}
