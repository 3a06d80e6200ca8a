import { type RollupId, type TxHash, txHashBytes } from '@switchyard/protocol';
import type { Item } from './backlog.ts';
import type { Fate } from './journal.ts';

const HASH_BYTES = 32;

/**
 * The newest fates, so that submitters can ask what became of their bytes. Older ones are forgotten.
 *
 * There are many and few are asked about, so hashes are kept as bytes, and found by a part of them: text and a map of
 * texts would take most of the composer's memory.
 */
export class Fates {
  readonly #maxItems: number;
  /** By rising id. */
  readonly #kept = new Map<number, Fate>();
  /** The newest fate with a hash that begins like this. */
  readonly #byPrefix = new Map<number, Fate>();
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
      const fate = { id: this.#next, rollup, outcome, hashes: new Uint8Array(Buffer.from(list.join(''), 'hex')) };
      this.#next += 1;
      return fate;
    });
  }

  /** Takes fates in. @returns the ids of those that had to go. */
  add(fates: readonly Fate[]): number[] {
    for (const fate of fates) {
      this.#next = Math.max(this.#next, fate.id + 1);
      this.#kept.set(fate.id, fate);
      this.#items += fate.hashes.length / HASH_BYTES;
      for (let at = 0; at < fate.hashes.length; at += HASH_BYTES) this.#byPrefix.set(prefixAt(fate.hashes, at), fate);
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
    const wanted = txHashBytes(hash);
    const newest = this.#byPrefix.get(prefixAt(wanted, 0));
    if (newest === undefined || isOf(newest, rollup, wanted)) return newest?.outcome;
    // Another hash begins like it, or another rollup has the same bytes: rare enough to look at all.
    return [...this.#kept.values()].findLast((fate) => isOf(fate, rollup, wanted))?.outcome;
  }

  #forget(fate: Fate): void {
    this.#kept.delete(fate.id);
    this.#items -= fate.hashes.length / HASH_BYTES;
    for (let at = 0; at < fate.hashes.length; at += HASH_BYTES) {
      const prefix = prefixAt(fate.hashes, at);
      if (this.#byPrefix.get(prefix) === fate) this.#byPrefix.delete(prefix);
    }
  }
}

/** Thirty bits, which is what a map is fastest with. */
function prefixAt(hashes: Uint8Array, at: number): number {
  const high = ((hashes[at] ?? 0) << 8) | (hashes[at + 1] ?? 0);
  return (high << 14) | ((hashes[at + 2] ?? 0) << 6) | ((hashes[at + 3] ?? 0) >> 2);
}

function isOf(fate: Fate, rollup: RollupId, hash: Uint8Array): boolean {
  if (fate.rollup !== rollup) return false;
  for (let at = 0; at < fate.hashes.length; at += HASH_BYTES) {
    if (hash.every((byte, index) => fate.hashes[at + index] === byte)) return true;
  }
  return false;
}
