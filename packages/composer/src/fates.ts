import type { RollupId, TxHash } from '@switchyard/protocol';
import type { Item } from './backlog.ts';
import type { Fate } from './journal.ts';

/** The newest fates, so that submitters can ask what became of their bytes. Older ones are forgotten. */
export class Fates {
  readonly #maxItems: number;
  readonly #byHash = new Map<RollupId, Map<TxHash, Fate>>();
  /** By rising id. */
  readonly #kept = new Map<number, Fate>();
  #items = 0;
  #next = 1;

  /** @param maxItems Kept at most, unless a single fate has more. */
  constructor(maxItems: number) {
    this.#maxItems = maxItems;
  }

  /** The same outcome for all items: a fate for each of their rollups. */
  create(outcome: Fate['outcome'], items: Iterable<Item>): Fate[] {
    const hashes = new Map<RollupId, TxHash[]>();
    for (const { rollup, hash } of items) {
      const list = hashes.get(rollup);
      if (list === undefined) hashes.set(rollup, [hash]);
      else list.push(hash);
    }
    return Array.from(hashes, ([rollup, list]) => {
      const fate = { id: this.#next, rollup, outcome, hashes: list };
      this.#next += 1;
      return fate;
    });
  }

  /** Takes fates in. @returns the ids of those that had to go. */
  add(fates: readonly Fate[]): number[] {
    for (const fate of fates) {
      this.#next = Math.max(this.#next, fate.id + 1);
      this.#kept.set(fate.id, fate);
      this.#items += fate.hashes.length;
      const found = this.#byHash.get(fate.rollup);
      const byHash = found ?? new Map<TxHash, Fate>();
      if (found === undefined) this.#byHash.set(fate.rollup, byHash);
      for (const hash of fate.hashes) byHash.set(hash, fate);
    }
    const gone: number[] = [];
    for (const fate of this.#kept.values()) {
      if (this.#items <= this.#maxItems || this.#kept.size === 1) break;
      this.#forget(fate);
      gone.push(fate.id);
    }
    return gone;
  }

  /** Of the item with these bytes that was finished last. */
  find(rollup: RollupId, hash: TxHash): Fate['outcome'] | undefined {
    return this.#byHash.get(rollup)?.get(hash)?.outcome;
  }

  #forget(fate: Fate): void {
    const { id, rollup, hashes } = fate;
    this.#kept.delete(id);
    this.#items -= hashes.length;
    const byHash = this.#byHash.get(rollup);
    for (const hash of hashes) if (byHash?.get(hash) === fate) byHash.delete(hash);
    if (byHash?.size === 0) this.#byHash.delete(rollup);
  }
}
