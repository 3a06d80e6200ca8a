import {
  pair,
  raw,
  type StateReader,
  type StateWriter,
  struct,
  type Table,
  table,
  u32Key,
  u64,
  u64Key,
} from '@switchyard/machine';
import { termHash } from './term-hash.ts';
import { BUCKETS, encodeBuckets, getBucket, offsetsIn } from './term-rows.ts';

/*
 * Which of a rollup's numbered items (messages, say) have a term. A tree with a key for each term would be written at
 * random places, which drags it into memory; so items are indexed in segments that are written once, in order, and looked
 * up newest first. Items in no segment yet are few, and are read themselves. The rows are no part of the state: nodes may
 * keep different parts of them.
 */

/** Items in the order of their numbers, readable in chunks. */
export interface TermSource {
  /** Number of the next item. */
  count(state: StateReader): bigint;
  /** `termHash` of the terms of each item of the chunk that begins at `first`, in any order; at most 256 items. */
  chunk(state: StateReader, first: bigint): readonly (readonly number[])[];
}

export interface Segment {
  /** Number of its first item, and of the first one behind it. */
  readonly first: bigint;
  readonly next: bigint;
}

/** Extent of the index: the segments in it, and the first item that is in none. */
export interface Indexed {
  readonly firstSegment: bigint;
  readonly nextSegment: bigint;
  readonly nextItem: bigint;
}

export const SEGMENT_ITEMS = 512n;
/** Segments that are written or deleted with one block at most, so that blocks of many items are indexed with the following ones. */
const SEGMENTS_AT_ONCE = 4;
const NONE: Indexed = { firstSegment: 0n, nextSegment: 0n, nextItem: 0n };

export class TermIndex {
  readonly source: TermSource;
  readonly #keep: bigint | undefined;
  readonly #segments: Table<bigint, Segment, undefined>;
  readonly #rows: Table<readonly [bigint, number], Uint8Array, undefined>;
  readonly #indexed: Table<number, Indexed, Indexed>;
  /** The hashes of items in no segment, by the first item of each chunk: committed chunks do not change. */
  readonly #tail = new Map<bigint, readonly ReadonlySet<number>[]>();

  /**
   * @param prefix Under which its rows are; ends with a slash.
   * @param keep Newest items that stay indexed; all, if undefined.
   */
  constructor(prefix: string, source: TermSource, keep: bigint | undefined) {
    this.source = source;
    this.#keep = keep;
    this.#segments = table({ prefix: `${prefix}segment/`, key: u64Key, value: struct({ first: u64, next: u64 }) });
    this.#rows = table({ prefix: `${prefix}terms/`, key: pair(u64Key, u32Key), value: raw });
    const indexed = struct({ firstSegment: u64, nextSegment: u64, nextItem: u64 });
    this.#indexed = table({ prefix: `${prefix}indexed/`, key: u32Key, value: indexed, absent: NONE });
  }

  indexed(state: StateReader): Indexed {
    return this.#indexed.get(state, 0);
  }

  segment(state: StateReader, number: bigint): Segment | undefined {
    return this.#segments.get(state, number);
  }

  /** Items of a segment that have all the terms, ascending; some may only seem to. */
  candidates(state: StateReader, number: bigint, terms: readonly string[]): bigint[] {
    const segment = this.segment(state, number);
    if (segment === undefined) return [];
    let found: number[] | undefined;
    for (const hash of terms.map(termHash)) {
      const row = this.#rows.get(state, [number, getBucket(hash)]);
      const offsets = row === undefined ? [] : offsetsIn(row, hash);
      if (found === undefined) found = offsets;
      else {
        const others = new Set(offsets);
        found = found.filter((offset) => others.has(offset));
      }
      if (found.length === 0) return [];
    }
    return (found ?? []).map((offset) => segment.first + BigInt(offset));
  }

  /** Items with all the terms that are in no segment yet, ascending; some may only seem to. */
  unindexed(state: StateReader, terms: readonly string[]): bigint[] {
    const { nextItem } = this.indexed(state);
    const count = this.source.count(state);
    const hashes = terms.map(termHash);
    for (const first of this.#tail.keys()) if (first < nextItem) this.#tail.delete(first);
    const found: bigint[] = [];
    for (let first = nextItem; first < count; ) {
      const items: readonly ReadonlySet<number>[] =
        this.#tail.get(first) ?? this.source.chunk(state, first).map((each) => new Set(each));
      if (items.length === 0) throw new Error(`item ${first} of ${count} is missing`);
      this.#tail.set(first, items);
      items.forEach((has, offset) => {
        if (hashes.every((hash) => has.has(hash))) found.push(first + BigInt(offset));
      });
      first += BigInt(items.length);
    }
    return found;
  }

  /** Whether items that fill a segment are in none. */
  isBehind(state: StateReader): boolean {
    return this.source.count(state) - this.indexed(state).nextItem >= SEGMENT_ITEMS;
  }

  /** Indexes items once they fill a segment, and deletes segments that are too old. Call with each block. */
  advance(state: StateWriter): void {
    const before = this.indexed(state);
    const count = this.source.count(state);
    let { firstSegment, nextSegment, nextItem } = before;
    for (let left = SEGMENTS_AT_ONCE; left > 0 && count - nextItem >= SEGMENT_ITEMS; left -= 1) {
      nextItem = this.#write(state, nextSegment, nextItem);
      nextSegment += 1n;
    }
    for (let left = 2 * SEGMENTS_AT_ONCE; left > 0 && firstSegment < nextSegment; left -= 1) {
      const oldest = this.segment(state, firstSegment);
      if (oldest === undefined || this.#keep === undefined || oldest.next + this.#keep > count) break;
      this.#delete(state, firstSegment);
      firstSegment += 1n;
    }
    if (nextSegment !== before.nextSegment || firstSegment !== before.firstSegment) {
      this.#indexed.put(state, 0, { firstSegment, nextSegment, nextItem });
    }
  }

  /** @returns the first item behind the segment. */
  #write(state: StateWriter, number: bigint, first: bigint): bigint {
    const items: (readonly number[])[] = [];
    while (items.length < SEGMENT_ITEMS) items.push(...this.source.chunk(state, first + BigInt(items.length)));
    encodeBuckets(items).forEach((row, bucket) => {
      if (row.length > 0) this.#rows.put(state, [number, bucket], row);
    });
    const next = first + BigInt(items.length);
    this.#segments.put(state, number, { first, next });
    return next;
  }

  #delete(state: StateWriter, number: bigint): void {
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      if (this.#rows.has(state, [number, bucket])) this.#rows.delete(state, [number, bucket]);
    }
    this.#segments.delete(state, number);
  }
}
