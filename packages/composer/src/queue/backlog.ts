import type { RollupId, TxHash } from '@switchyard/protocol';
import { ItemNumbers } from './item-numbers.ts';
import { beginsGroup, continuesGroup, GROUPS, type Item, type Space } from './items.ts';
import { computeCount, getFirst, joined, type Range, without } from './ranges.ts';

/** Items that are written together. They have consecutive numbers. */
export interface Chunk {
  /** Number of the first item. */
  readonly first: number;
  readonly items: readonly Item[];
}

/** Rest of a chunk after a group of its items has finished. */
export interface Leftover {
  /** Number of the chunk's first item. */
  readonly chunk: number;
  /** Its finished items; undefined when all are finished and the chunk can be forgotten. */
  readonly done: readonly Range[] | undefined;
}

interface Kept {
  readonly first: number;
  readonly end: number;
  /** Released as soon as all of them are finished. */
  items: readonly Item[];
  open: number;
  done: Range[];
}

/** Finished chunks at the front of the list are cut off when there are this many. */
const CUT_AT = 256;

/**
 * Everything accepted and not yet seen in a block: the items, and which of them still wait for a bundle. An item is here
 * from its arrival on, so that it counts and is known; it waits from the moment it is being written.
 */
export class Backlog {
  /** In order of their numbers. Some may be finished. */
  #chunks: Kept[] = [];
  #head = 0;
  /** The newest item with these bytes, and the newest with these bytes and their key; the first items of groups. */
  readonly #alone = new ItemNumbers();
  /** Items of groups. */
  readonly #grouped = new ItemNumbers();
  /** In order of acceptance. */
  #waiting: Range[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #count = 0;
  #next: number;
  #writtenEnd = 0;

  /** @param next The number of the next item: higher than any number of the remaining items. */
  constructor(next = 1) {
    this.#next = next;
  }

  /** Bytes and number of all items that are not finished: arriving and bundled ones included. */
  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#count;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Bytes and number of the items that wait for a bundle. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get waitingCount(): number {
    return computeCount(this.#waiting);
  }

  /** Number of the next item to arrive. */
  get next(): number {
    return this.#next;
  }

  /** Items get their numbers. */
  arrive(items: readonly Item[]): void {
    for (const item of items) {
      this.#enter(item, this.#next);
      this.#next += 1;
    }
  }

  /** The oldest arrival is being written, and waits: a bundle of it is written after it. */
  keep({ first, items }: Chunk, done: readonly Range[] = []): void {
    const end = first + items.length;
    const open = without([{ from: first, to: end }], done);
    this.#chunks.push({ first, end, items, open: computeCount(open), done: [...done] });
    this.#wait(open);
  }

  /** It is on disk, with all that arrived before. */
  written({ first, items }: Chunk): void {
    this.#writtenEnd = Math.max(this.#writtenEnd, first + items.length);
  }

  /** Takes in left-overs of an earlier run on disk. */
  restore(chunk: Chunk, done: readonly Range[]): void {
    const { first, items } = chunk;
    for (const { from, to } of without([{ from: first, to: first + items.length }], done)) {
      for (let number = from; number < to; number += 1) {
        const item = items[number - first];
        if (item === undefined) continue;
        this.#enter(item, number);
      }
    }
    this.#next = Math.max(this.#next, first + items.length);
    this.keep(chunk, done);
    this.written(chunk);
  }

  *items(ranges: readonly Range[]): Iterable<Item> {
    for (const { from, to } of ranges) {
      let at = this.#indexOf(from);
      for (let number = from; number < to; at += 1) {
        const kept = this.#chunks[at];
        if (kept === undefined) throw new Error(`no item ${number} in the backlog`);
        for (; number < Math.min(to, kept.end); number += 1) {
          const item = kept.items[number - kept.first];
          if (item === undefined) throw new Error(`no item ${number} in the backlog`);
          yield item;
        }
      }
    }
  }

  /**
   * The number of the item with these bytes (or, by `Item.keyed`, of these bytes with their key), if it is here and in no
   * group; of the first item of a group with this hash.
   */
  find(space: Space, hash: TxHash): number | undefined {
    return this.#alone.get(space, hash);
  }

  /** Like `find`, for an item of a group too. */
  locate(space: Space, hash: TxHash): number | undefined {
    return this.#alone.get(space, hash) ?? this.#grouped.get(space, hash);
  }

  isOnDisk(number: number): boolean {
    return number < this.#writtenEnd;
  }

  /** Takes items from the front of the queue while `fits` accepts them; the items of a group, all or none. */
  take(fits: (item: Item) => boolean): Range[] {
    const taken: Range[] = [];
    let whole = 0;
    for (const range of this.#waiting) {
      let to = range.from;
      for (const item of this.items([range])) {
        // A group is decided with its first item.
        if (!continuesGroup(item) && !fits(item)) break;
        this.#waitingBytes -= item.data.length;
        to += 1;
      }
      if (to > range.from) taken.push({ from: range.from, to });
      if (to < range.to) {
        this.#waiting[whole] = { from: to, to: range.to };
        break;
      }
      whole += 1;
    }
    this.#waiting.splice(0, whole);
    return taken;
  }

  /** The first half of the items, or about that if a group would be divided; none of one item, or of one group. */
  firstHalf(ranges: readonly Range[]): Range[] {
    const items = [...this.items(ranges)];
    const middle = Math.floor(items.length / 2);
    const starts = items.flatMap((item, index) => (index === 0 || continuesGroup(item) ? [] : [index]));
    const half = starts.findLast((index) => index <= middle) ?? starts[0] ?? 0;
    return getFirst(ranges, half);
  }

  /** Puts items back to their old positions. */
  giveBack(ranges: readonly Range[]): void {
    this.#wait(ranges);
  }

  /** Takes items out of the waiting ones, because they belong to a bundle found on disk. */
  claim(ranges: readonly Range[]): void {
    this.#waiting = without(this.#waiting, ranges);
    for (const { data } of this.items(ranges)) this.#waitingBytes -= data.length;
  }

  /** Items of the ranges that are here and not finished. */
  unfinished(ranges: readonly Range[]): Range[] {
    return joined(ranges).flatMap((range) => {
      const open: Range[] = [];
      for (let at = this.#indexOf(range.from); at < this.#chunks.length; at += 1) {
        const kept = this.#chunks[at];
        if (kept === undefined || kept.first >= range.to) break;
        const inside = { from: Math.max(kept.first, range.from), to: Math.min(kept.end, range.to) };
        if (inside.from < inside.to && kept.open > 0) open.push(...without([inside], kept.done));
      }
      return joined(open);
    });
  }

  /** Forgets items that are in a block, or refused for good. They are not finished yet, and do not wait. */
  finish(ranges: readonly Range[]): Leftover[] {
    const leftovers: Leftover[] = [];
    for (const { from, to } of joined(ranges)) {
      let at = this.#indexOf(from);
      for (let number = from; number < to; at += 1) {
        const kept = this.#chunks[at];
        if (kept === undefined || kept.first > number) throw new Error(`no item ${number} in the backlog`);
        const part = { from: number, to: Math.min(to, kept.end) };
        this.#forget(kept, part);
        kept.done = joined([...kept.done, part]);
        kept.open -= part.to - part.from;
        if (leftovers.at(-1)?.chunk === kept.first) leftovers.pop();
        leftovers.push({ chunk: kept.first, done: kept.open > 0 ? kept.done : undefined });
        if (kept.open === 0) kept.items = [];
        number = part.to;
      }
    }
    this.#cut();
    return leftovers;
  }

  /** Everything of one rollup that is on disk and not finished, in order of acceptance. */
  *ofRollup(rollup: RollupId): Iterable<Uint8Array> {
    for (const { first, end, open, done } of this.#chunks.slice(this.#head)) {
      if (open === 0 || !this.isOnDisk(end - 1)) continue;
      for (const item of this.items(without([{ from: first, to: end }], done))) {
        if (item.rollup === rollup) yield item.data;
      }
    }
  }

  #enter(item: Item, number: number): void {
    const { rollup, hash, keyed, data, group } = item;
    this.#count += 1;
    this.#bytes += data.length;
    if (group === undefined) this.#alone.set(rollup, hash, keyed, number);
    else this.#grouped.set(rollup, hash, undefined, number);
    if (group !== undefined && beginsGroup(item)) this.#alone.set(GROUPS, group.hash, group.keyed, number);
  }

  #wait(ranges: readonly Range[]): void {
    for (const { data } of this.items(ranges)) this.#waitingBytes += data.length;
    const [first] = ranges;
    const last = this.#waiting.at(-1);
    const inOrder = ranges.length === 1 && first !== undefined && (last === undefined || last.to <= first.from);
    if (!inOrder) this.#waiting = joined([...this.#waiting, ...ranges]);
    else if (last?.to === first.from) this.#waiting[this.#waiting.length - 1] = { from: last.from, to: first.to };
    else this.#waiting.push(first);
  }

  #forget({ items, first }: Kept, { from, to }: Range): void {
    for (let number = from; number < to; number += 1) {
      const item = items[number - first];
      if (item === undefined) continue;
      this.#bytes -= item.data.length;
      this.#count -= 1;
      const { rollup, hash, keyed, group } = item;
      if (group === undefined) this.#alone.delete(rollup, hash, keyed, number);
      else this.#grouped.delete(rollup, hash, undefined, number);
      if (group !== undefined && beginsGroup(item)) this.#alone.delete(GROUPS, group.hash, group.keyed, number);
    }
  }

  /** Index of an item's chunk in the list, or the next one if it is gone. */
  #indexOf(number: number): number {
    let low = this.#head;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.end ?? 0) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #cut(): void {
    while (this.#chunks[this.#head]?.open === 0) this.#head += 1;
    if (this.#head < CUT_AT || this.#head * 2 < this.#chunks.length) return;
    this.#chunks = this.#chunks.slice(this.#head);
    this.#head = 0;
  }
}
