import type { TxHash } from '@switchyard/protocol';
import type { Fate } from './journal.ts';

/** The newest fates, so that submitters can ask what became of their bytes. Older ones are forgotten. */
export class Fates {
  readonly #byHash = new Map<TxHash, Fate>();
  #kept: Fate[] = [];
  #items = 0;
  #next = 1;

  constructor(readonly maxItems: number) {}

  create(outcome: Fate['outcome'], hashes: readonly TxHash[]): Fate {
    const fate = { id: this.#next, outcome, hashes };
    this.#next += 1;
    return fate;
  }

  /** Takes fates in. @returns the ids of those that had to go. */
  add(fates: readonly Fate[]): number[] {
    for (const fate of fates) {
      this.#next = Math.max(this.#next, fate.id + 1);
      this.#kept.push(fate);
      this.#items += fate.hashes.length;
      for (const hash of fate.hashes) this.#byHash.set(hash, fate);
    }
    const gone: number[] = [];
    while (this.#items > this.maxItems && this.#kept.length > 1) {
      const [oldest] = this.#kept;
      if (oldest === undefined) break;
      this.#kept = this.#kept.slice(1);
      this.#items -= oldest.hashes.length;
      gone.push(oldest.id);
      for (const hash of oldest.hashes) if (this.#byHash.get(hash) === oldest) this.#byHash.delete(hash);
    }
    return gone;
  }

  find(hash: TxHash): Fate['outcome'] | undefined {
    return this.#byHash.get(hash)?.outcome;
  }
}
