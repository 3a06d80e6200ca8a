import type { TxHash } from '@switchyard/protocol';

/** Hashes of transactions whose signature this node has verified lately. Forgets the older half when it is full. */
export class VerifiedTransactions {
  readonly #half: number;
  #newer = new Set<TxHash>();
  #older = new Set<TxHash>();

  constructor(limit = 65_536) {
    this.#half = Math.max(1, Math.floor(limit / 2));
  }

  has(hash: TxHash): boolean {
    return this.#newer.has(hash) || this.#older.has(hash);
  }

  add(hash: TxHash): void {
    this.#newer.add(hash);
    if (this.#newer.size < this.#half) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}
