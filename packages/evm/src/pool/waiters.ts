import type { Forwarded } from '@switchyard/rollup';
import type { Hash } from '../types.ts';

/** Settled with the result of a hand-over to the composer. */
export type Waiter = (outcome: Forwarded) => void;

/** Who waits for the composer's answer about a transaction. */
export class Waiters {
  readonly #waiting = new Map<Hash, Waiter[]>();

  /** @returns a function that ends the waiting. */
  add(hash: Hash, waiter: Waiter): () => void {
    const waiters = this.#waiting.get(hash) ?? [];
    this.#waiting.set(hash, waiters);
    waiters.push(waiter);
    return () => {
      const at = waiters.indexOf(waiter);
      if (at !== -1) waiters.splice(at, 1);
    };
  }

  settle(hash: Hash, outcome: Forwarded): void {
    const waiters = this.#waiting.get(hash) ?? [];
    this.#waiting.delete(hash);
    for (const waiter of waiters) waiter(outcome);
  }
}
