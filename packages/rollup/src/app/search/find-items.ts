import type { Snapshot } from '@switchyard/machine';
import { turn } from '@switchyard/service';
import type { PageQuery } from '../http/page.ts';
import { SEGMENT_ITEMS, type TermIndex } from './term-index.ts';

/** A page of a search, newest first. */
export interface Found<T> {
  readonly items: readonly T[];
  /** Value of `before` for searching on among older items; null if there are none. */
  readonly older: bigint | null;
  /** Value of `after` for searching on among newer items. */
  readonly newer: bigint;
}

export interface Search<T> extends PageQuery {
  /** All of them, and at least one. */
  readonly terms: readonly string[];
  /** The item, if it matches indeed. */
  read(snapshot: Snapshot, item: bigint): T | undefined;
  /** The committed state. Taken again whenever other work may have committed in between. */
  snapshot(): Snapshot;
}

/** With more, blocks of many items came faster than the index is made. */
const MAX_UNINDEXED = 8n * SEGMENT_ITEMS;
/** Segments that one request looks at; the answer then has a cursor to search on. */
const MAX_SEGMENTS = 8_192;
const SEGMENTS_PER_TURN = 128;

/** The index is being made: `done` of `all` items are in it. */
export class IndexBehind extends Error {
  override readonly name = 'IndexBehind';

  constructor(
    readonly done: bigint,
    readonly all: bigint,
  ) {
    super(`${done} of ${all} items are indexed`);
  }
}

/**
 * Finds items by their terms: with `after` the first ones above that number, else the newest ones.
 *
 * @throws {IndexBehind}
 */
export async function findItems<T>(index: TermIndex, search: Search<T>): Promise<Found<T>> {
  const { terms, limit, after, before } = search;
  const isForward = after !== undefined;
  const start = search.snapshot();
  const count = index.source.count(start);
  const { firstSegment, nextSegment, nextItem } = index.indexed(start);
  if (count - nextItem > MAX_UNINDEXED) throw new IndexBehind(nextItem, count);
  const end = before === undefined || before > count ? count : before;
  const first = isForward ? after + 1n : 0n;

  const found: { readonly item: bigint; readonly value: T }[] = [];
  const take = (items: readonly bigint[]): void => {
    const snapshot = search.snapshot();
    for (const item of isForward ? items : items.toReversed()) {
      if (found.length === limit) return;
      if (item < first || item >= end) continue;
      const value = search.read(snapshot, item);
      if (value !== undefined) found.push({ item, value });
    }
  };
  const unindexed = (): void => take(index.unindexed(search.snapshot(), terms));

  let stoppedAt: bigint | undefined;
  if (!isForward) unindexed();
  const from = isForward ? getSegment(index, start, first, firstSegment, nextSegment) : firstSegment;
  const to = isForward ? nextSegment : getSegment(index, start, end, firstSegment, nextSegment) + 1n;
  const last = to > nextSegment ? nextSegment : to;
  for (let looked = 0n; from + looked < last && found.length < limit; looked += 1n) {
    const number = isForward ? from + looked : last - 1n - looked;
    if (looked === BigInt(MAX_SEGMENTS)) {
      const { first: at, next } = index.segment(search.snapshot(), number) ?? { first: 0n, next: 0n };
      stoppedAt = isForward ? at - 1n : next;
      break;
    }
    take(index.candidates(search.snapshot(), number, terms));
    if (looked % BigInt(SEGMENTS_PER_TURN) === BigInt(SEGMENTS_PER_TURN - 1)) await turn();
  }
  if (isForward && stoppedAt === undefined && found.length < limit) unindexed();

  const newestFirst = isForward ? found.toReversed() : found;
  const [newest, oldest] = [newestFirst[0]?.item, newestFirst.at(-1)?.item];
  const isFull = found.length === limit;
  return {
    items: newestFirst.map(({ value }) => value),
    older: isForward ? (oldest ?? first) : isFull && oldest !== 0n ? (oldest ?? null) : (stoppedAt ?? null),
    newer: isForward ? (isFull ? (newest ?? after) : (stoppedAt ?? end - 1n)) : end - 1n,
  };
}

/** The segment that holds an item, or the first one if none before does. */
function getSegment(index: TermIndex, snapshot: Snapshot, item: bigint, first: bigint, next: bigint): bigint {
  let [low, high] = [first, next];
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((index.segment(snapshot, middle)?.next ?? 0n) <= item) low = middle + 1n;
    else high = middle;
  }
  return low;
}
