import { type TxHash, txHashBytes } from '@switchyard/protocol';
import { type Clock, RunningTime, type WallClock } from '@switchyard/service';
import { beginsGroup, GROUPS, type Item, type Space } from './items.ts';
import type { OutcomeRecord } from './records.ts';

const HASH_BYTES = 32;

export interface OutcomesOptions {
  /** Hashes kept at most, unless a single record has more. */
  readonly maxItems: number;
  readonly clock: Clock;
  readonly wall: WallClock;
}

interface Kept {
  readonly record: OutcomeRecord;
  /** On the monotonic clock; before its start for outcomes of earlier runs. */
  readonly since: number;
}

/**
 * The newest outcomes, so that submitters can query them, and copies are recognised. Older ones are
 * forgotten.
 *
 * There are many and few are looked up, so hashes are kept as bytes and found by a prefix: strings in a map would take
 * most of the composer's memory.
 */
export class Outcomes {
  readonly #options: OutcomesOptions;
  readonly #time: RunningTime;
  /** Outcomes by rising id. */
  readonly #kept = new Map<number, Kept>();
  /** Outcomes with a hash that begins like this, oldest first. Nearly always there is one. */
  readonly #byPrefix = new Map<number, Kept | Kept[]>();
  #items = 0;
  #next = 1;

  constructor(options: OutcomesOptions) {
    this.#options = options;
    this.#time = new RunningTime(options);
  }

  /** Adds the outcomes of earlier runs. @returns the ids of those evicted. */
  restore(outcomes: readonly OutcomeRecord[]): number[] {
    const newest = outcomes.reduce((latest, { at = 0 }) => Math.max(latest, at), 0);
    if (newest > 0) this.#time.resume(newest);
    return this.add(outcomes);
  }

  /** Records one outcome for all items, with a record for each of their rollups, and one for their groups. */
  create(outcome: OutcomeRecord['outcome'], items: Iterable<Item>): OutcomeRecord[] {
    const hashes = new Map<Space, TxHash[]>();
    const note = (space: Space, { hash, keyed }: Pick<Item, 'hash' | 'keyed'>): void => {
      const list = hashes.get(space) ?? [];
      hashes.set(space, list);
      list.push(hash);
      if (keyed !== undefined) list.push(keyed);
    };
    for (const item of items) {
      note(item.rollup, item);
      if (item.group !== undefined && beginsGroup(item)) note(GROUPS, item.group);
    }
    const at = this.#time.now();
    return Array.from(hashes, ([space, list]) => {
      const record = { id: this.#next, space, outcome, hashes: new Uint8Array(Buffer.from(list.join(''), 'hex')), at };
      this.#next += 1;
      return record;
    });
  }

  /** Adds outcomes. @returns the ids of those evicted for them. */
  add(outcomes: readonly OutcomeRecord[]): number[] {
    const { maxItems } = this.#options;
    for (const record of outcomes) {
      this.#next = Math.max(this.#next, record.id + 1);
      const kept = { record, since: this.#time.since(record.at) };
      this.#kept.set(record.id, kept);
      this.#items += record.hashes.length / HASH_BYTES;
      for (const prefix of getPrefixes(record)) this.#byPrefix.set(prefix, joined(this.#byPrefix.get(prefix), kept));
    }
    const gone: number[] = [];
    for (const kept of this.#kept.values()) {
      if (this.#items <= maxItems || this.#kept.size === 1) break;
      this.#forget(kept);
      gone.push(kept.record.id);
    }
    return gone;
  }

  /** Outcome of the item with these bytes, or of the group: the last one in a block, else the last refused one. */
  find(space: Space, hash: TxHash): OutcomeRecord['outcome'] | undefined {
    return (this.#find(space, hash, 'sequenced') ?? this.#find(space, hash, 'refused'))?.record.outcome;
  }

  /** Height of the newest block that had a submission; 0 if there is none. */
  get newestHeight(): bigint {
    let newest = 0n;
    for (const { record } of this.#kept.values()) {
      if (record.outcome.kind === 'sequenced' && record.outcome.height > newest) newest = record.outcome.height;
    }
    return newest;
  }

  /** The block that has these bytes, if that was decided no longer ago than `windowMs`. */
  sequencedHeight(space: Space, hash: TxHash, windowMs: number): bigint | undefined {
    const found = this.#find(space, hash, 'sequenced');
    if (found?.record.outcome.kind !== 'sequenced') return undefined;
    return this.#options.clock.now() - found.since <= windowMs ? found.record.outcome.height : undefined;
  }

  #find(space: Space, hash: TxHash, kind: OutcomeRecord['outcome']['kind']): Kept | undefined {
    // Called for every item that arrives, and nearly all are new: so the hash is decoded only if there is a candidate.
    const alike = this.#byPrefix.get(prefixOfText(hash) ^ prefixOfText(space));
    if (alike === undefined) return undefined;
    const wanted = txHashBytes(hash);
    const isWanted = ({ record }: Kept): boolean => record.outcome.kind === kind && belongsTo(record, space, wanted);
    if (Array.isArray(alike)) return alike.findLast(isWanted);
    return isWanted(alike) ? alike : undefined;
  }

  #forget(kept: Kept): void {
    const { record } = kept;
    this.#kept.delete(record.id);
    this.#items -= record.hashes.length / HASH_BYTES;
    for (const prefix of getPrefixes(record)) {
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

/** Prefixes of each hash, with the rollup in it, so that the bytes of others cost nothing. */
function getPrefixes({ space, hashes }: OutcomeRecord): number[] {
  const ofSpace = prefixOfText(space);
  const prefixes: number[] = [];
  for (let at = 0; at < hashes.length; at += HASH_BYTES) prefixes.push(prefixOfBytes(hashes, at) ^ ofSpace);
  return prefixes;
}

/** Thirty bits, for which a map is fastest. */
function prefixOfBytes(hashes: Uint8Array, at: number): number {
  const high = ((hashes[at] ?? 0) << 8) | (hashes[at + 1] ?? 0);
  return (high << 14) | ((hashes[at + 2] ?? 0) << 6) | ((hashes[at + 3] ?? 0) >> 2);
}

function prefixOfText(hex: TxHash | Space): number {
  return Number.parseInt(hex.slice(0, 8), 16) >>> 2;
}

function belongsTo(record: OutcomeRecord, space: Space, hash: Uint8Array): boolean {
  if (record.space !== space) return false;
  const hashes = Buffer.from(record.hashes.buffer, record.hashes.byteOffset, record.hashes.length);
  for (let at = hashes.indexOf(hash); at !== -1; at = hashes.indexOf(hash, at + 1))
    if (at % HASH_BYTES === 0) return true;
  return false;
}
