import type { RollupId, TxHash } from '@switchyard/protocol';

/** One byte string that was accepted for a rollup. */
export interface Item {
  readonly rollup: RollupId;
  readonly data: Uint8Array;
  /** SHA-256 of the data. */
  readonly hash: TxHash;
}

/** Items that were accepted, and written, together. Ids rise. */
export interface Chunk {
  readonly id: number;
  readonly items: readonly Item[];
}

/** The items `from` up to, but not with, `to` of a chunk. */
export interface Range {
  readonly chunk: number;
  readonly from: number;
  readonly to: number;
}

/** What a group of finished items leaves of the chunks they were in. */
export interface Leftover {
  readonly chunk: number;
  /** Finished parts, joined and in order; nothing when the whole chunk is finished and can be forgotten. */
  readonly done: readonly Range[] | undefined;
}

interface Kept {
  readonly items: readonly Item[];
  done: Range[];
}

export interface Place {
  readonly chunk: number;
  readonly index: number;
}

const inOrder = (a: Range, b: Range): number => a.chunk - b.chunk || a.from - b.from;

/** Joins ranges that touch or overlap. */
export function joined(ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  for (const range of [...ranges].sort(inOrder)) {
    const last = out.at(-1);
    if (last !== undefined && last.chunk === range.chunk && range.from <= last.to) {
      out[out.length - 1] = { ...last, to: Math.max(last.to, range.to) };
    } else out.push(range);
  }
  return out;
}

/** What of `ranges` is not in `taken`. */
export function without(ranges: readonly Range[], taken: readonly Range[]): Range[] {
  let rest = [...ranges];
  for (const hole of taken) {
    rest = rest.flatMap((range) => {
      if (range.chunk !== hole.chunk || hole.to <= range.from || range.to <= hole.from) return [range];
      const before = { ...range, to: hole.from };
      const after = { ...range, from: hole.to };
      return [before, after].filter(({ from, to }) => from < to);
    });
  }
  return rest;
}

/** Everything accepted and not yet seen in a block: the items, and which of them still wait for a bundle. */
export class Backlog {
  readonly #chunks = new Map<number, Kept>();
  readonly #places = new Map<string, Place>();
  /** In order of acceptance. */
  #waiting: Range[] = [];
  #bytes = 0;
  #count = 0;

  /** Bytes and number of all items that are not finished, bundled ones included. */
  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#count;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get waiting(): readonly Range[] {
    return this.#waiting;
  }

  add({ id, items }: Chunk, done: readonly Range[] = []): void {
    const whole = { chunk: id, from: 0, to: items.length };
    this.#chunks.set(id, { items, done: [...done] });
    const open = without([whole], done);
    for (const { from, to } of open) {
      for (let index = from; index < to; index += 1) {
        const item = items[index];
        if (item === undefined) continue;
        this.#bytes += item.data.length;
        this.#count += 1;
        this.#places.set(placeKey(item.rollup, item.hash), { chunk: id, index });
      }
    }
    this.#waiting.push(...open);
  }

  item({ chunk, index }: Place): Item {
    const item = this.#chunks.get(chunk)?.items[index];
    if (item === undefined) throw new Error(`no item ${index} in chunk ${chunk}`);
    return item;
  }

  *items(ranges: readonly Range[]): Iterable<Item> {
    for (const { chunk, from, to } of ranges) {
      for (let index = from; index < to; index += 1) yield this.item({ chunk, index });
    }
  }

  find(rollup: RollupId, hash: TxHash): Place | undefined {
    return this.#places.get(placeKey(rollup, hash));
  }

  /** Takes the first items that wait, as many as `fits` says yes to one after another. */
  take(fits: (item: Item) => boolean): Range[] {
    const taken: Range[] = [];
    while (this.#waiting.length > 0) {
      const [range] = this.#waiting;
      if (range === undefined) break;
      let to = range.from;
      while (to < range.to && fits(this.item({ chunk: range.chunk, index: to }))) to += 1;
      if (to > range.from) taken.push({ ...range, to });
      if (to === range.to) {
        this.#waiting.shift();
        continue;
      }
      this.#waiting[0] = { ...range, from: to };
      break;
    }
    return taken;
  }

  /** Puts items back to where they were in the order. */
  giveBack(ranges: readonly Range[]): void {
    this.#waiting = joined([...ranges, ...this.#waiting]);
  }

  /** Takes items out of the waiting ones, because they belong to a bundle found on disk. */
  claim(ranges: readonly Range[]): void {
    this.#waiting = without(this.#waiting, ranges);
  }

  /** Forgets items that are in a block, or refused for good. */
  finish(ranges: readonly Range[]): Leftover[] {
    const touched = new Set<number>();
    for (const range of ranges) {
      const kept = this.#chunks.get(range.chunk);
      if (kept === undefined) continue;
      for (const part of without([range], kept.done)) this.#forget(kept.items, part);
      kept.done = joined([...kept.done, range]);
      touched.add(range.chunk);
    }
    return [...touched].map((chunk) => {
      const kept = this.#chunks.get(chunk);
      const [first] = kept?.done ?? [];
      const whole = first?.from === 0 && first.to === kept?.items.length;
      if (whole) this.#chunks.delete(chunk);
      return { chunk, done: whole ? undefined : (kept?.done ?? []) };
    });
  }

  #forget(items: readonly Item[], { chunk, from, to }: Range): void {
    for (let index = from; index < to; index += 1) {
      const item = items[index];
      if (item === undefined) continue;
      this.#bytes -= item.data.length;
      this.#count -= 1;
      const key = placeKey(item.rollup, item.hash);
      const place = this.#places.get(key);
      // The same bytes may have been accepted again since.
      if (place?.chunk === chunk && place.index === index) this.#places.delete(key);
    }
  }

  /** Everything of one rollup that is not finished, in order of acceptance. */
  *ofRollup(rollup: RollupId): Iterable<Uint8Array> {
    for (const [id, { items, done }] of this.#chunks) {
      for (const range of without([{ chunk: id, from: 0, to: items.length }], done)) {
        for (const item of this.items([range])) if (item.rollup === rollup) yield item.data;
      }
    }
  }
}

/** A rollup's id is a hash: sixteen digits tell rollups apart that are here at one time, and make for short keys. */
function placeKey(rollup: RollupId, hash: TxHash): string {
  return `${hash}${rollup.slice(0, 16)}`;
}
