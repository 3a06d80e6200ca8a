import { type RollupId, type TxHash, txHashBytes } from '@switchyard/protocol';
import { type Clock, sinceStored, type WallClock } from '@switchyard/service';
import type { Item } from './backlog.ts';
import type { Fate } from './journal.ts';

const HASH_BYTES = 32;

export interface FatesOptions {
  /** Hashes kept at most, unless a single fate has more. */
  readonly maxItems: number;
  readonly clock: Clock;
  /** What ties the age of a fate to earlier runs. */
  readonly wall: WallClock;
}

interface Kept {
  readonly fate: Fate;
  /** On the monotonic clock; before its start for fates of earlier runs. */
  readonly since: number;
}

/**
 * The newest fates, so that submitters can ask what became of their bytes, and copies are recognised. Older ones are
 * forgotten.
 *
 * There are many and few are asked about, so hashes are kept as bytes, and found by a part of them: text and a map of
 * texts would take most of the composer's memory.
 */
export class Fates {
  readonly #options: FatesOptions;
  /** By rising id. */
  readonly #kept = new Map<number, Kept>();
  /** Those with a hash that begins like this, oldest first. Nearly always there is one. */
  readonly #byPrefix = new Map<number, Kept | Kept[]>();
  #items = 0;
  #next = 1;

  constructor(options: FatesOptions) {
    this.#options = options;
  }

  /** The same outcome for all items: a fate for each of their rollups. */
  create(outcome: Fate['outcome'], items: Iterable<Item>): Fate[] {
    const hashes = new Map<RollupId, TxHash[]>();
    for (const { rollup, hash, keyed } of items) {
      const list = hashes.get(rollup) ?? [];
      hashes.set(rollup, list);
      list.push(hash);
      if (keyed !== undefined) list.push(keyed);
    }
    const at = this.#options.wall.unixMs();
    return Array.from(hashes, ([rollup, list]) => {
      const fate = { id: this.#next, rollup, outcome, hashes: new Uint8Array(Buffer.from(list.join(''), 'hex')), at };
      this.#next += 1;
      return fate;
    });
  }

  /** Takes fates in. @returns the ids of those that had to go. */
  add(fates: readonly Fate[]): number[] {
    const { maxItems, clock } = this.#options;
    for (const fate of fates) {
      this.#next = Math.max(this.#next, fate.id + 1);
      const since = fate.at === undefined ? clock.now() : sinceStored(fate.at, this.#options);
      const kept = { fate, since };
      this.#kept.set(fate.id, kept);
      this.#items += fate.hashes.length / HASH_BYTES;
      for (const prefix of prefixes(fate)) this.#byPrefix.set(prefix, joined(this.#byPrefix.get(prefix), kept));
    }
    const gone: number[] = [];
    for (const kept of this.#kept.values()) {
      if (this.#items <= maxItems || this.#kept.size === 1) break;
      this.#forget(kept);
      gone.push(kept.fate.id);
    }
    return gone;
  }

  /** Of the item with these bytes that was finished last. */
  find(rollup: RollupId, hash: TxHash): Fate['outcome'] | undefined {
    return this.#find(rollup, hash)?.fate.outcome;
  }

  /** Of the newest block that had a submission; 0 where there is none. */
  get newestHeight(): bigint {
    let newest = 0n;
    for (const { fate } of this.#kept.values()) {
      if (fate.outcome.kind === 'sequenced' && fate.outcome.height > newest) newest = fate.outcome.height;
    }
    return newest;
  }

  /** The block that has these bytes, if that was decided no longer ago than `windowMs`. */
  sequencedHeight(rollup: RollupId, hash: TxHash, windowMs: number): bigint | undefined {
    const found = this.#find(rollup, hash);
    if (found?.fate.outcome.kind !== 'sequenced') return undefined;
    return this.#options.clock.now() - found.since <= windowMs ? found.fate.outcome.height : undefined;
  }

  #find(rollup: RollupId, hash: TxHash): Kept | undefined {
    const wanted = txHashBytes(hash);
    const alike = this.#byPrefix.get(prefixOf(rollup, wanted, 0));
    if (alike === undefined) return undefined;
    return Array.isArray(alike)
      ? alike.findLast(({ fate }) => isOf(fate, rollup, wanted))
      : isOf(alike.fate, rollup, wanted)
        ? alike
        : undefined;
  }

  #forget(kept: Kept): void {
    const { fate } = kept;
    this.#kept.delete(fate.id);
    this.#items -= fate.hashes.length / HASH_BYTES;
    for (const prefix of prefixes(fate)) {
      const alike = this.#byPrefix.get(prefix);
      const others = Array.isArray(alike) ? alike.filter((each) => each !== kept) : [];
      if (others.length > 0) this.#byPrefix.set(prefix, others.length === 1 ? (others[0] ?? kept) : others);
      else if (alike === kept || Array.isArray(alike)) this.#byPrefix.delete(prefix);
    }
  }
}

function joined(alike: Kept | Kept[] | undefined, kept: Kept): Kept | Kept[] {
  if (alike === undefined || alike === kept) return kept;
  return Array.isArray(alike) ? [...alike, kept] : [alike, kept];
}

function* prefixes({ rollup, hashes }: Fate): Generator<number> {
  for (let at = 0; at < hashes.length; at += HASH_BYTES) yield prefixOf(rollup, hashes, at);
}

/** Thirty bits, which is what a map is fastest with. The rollup is in it, so that the bytes of others cost nothing. */
function prefixOf(rollup: RollupId, hashes: Uint8Array, at: number): number {
  const high = ((hashes[at] ?? 0) << 8) | (hashes[at + 1] ?? 0);
  const prefix = (high << 14) | ((hashes[at + 2] ?? 0) << 6) | ((hashes[at + 3] ?? 0) >> 2);
  return prefix ^ (Number.parseInt(rollup.slice(0, 8), 16) >>> 2);
}

function isOf(fate: Fate, rollup: RollupId, hash: Uint8Array): boolean {
  if (fate.rollup !== rollup) return false;
  const hashes = Buffer.from(fate.hashes.buffer, fate.hashes.byteOffset, fate.hashes.length);
  for (let at = hashes.indexOf(hash); at !== -1; at = hashes.indexOf(hash, at + 1))
    if (at % HASH_BYTES === 0) return true;
  return false;
}
