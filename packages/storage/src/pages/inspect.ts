import { tableName } from './find.ts';
import { type Meta, PageDamage, type TreeRecord, u64 } from './meta.ts';
import type { PageFile } from './page-file.ts';
import { type KeyRange, walkTree } from './walk.ts';

/** A part of a file that cannot be relied on. */
export interface Problem {
  /** Name of the table in the file; empty: the main one, undefined: not of one table. */
  readonly table: string | undefined;
  /** Keys strictly between which records may be lost or wrong; the same key twice: that record. */
  readonly range: KeyRange;
  readonly what: string;
}

export interface Inspection {
  /** Transaction of the version that was read. */
  readonly transaction: number;
  readonly records: number;
  /** Bytes of pages in use. */
  readonly bytes: number;
  /** Entries that the reachable tables state, by name. Each other table is an entry of the main one. */
  readonly stated: ReadonlyMap<string, number>;
  readonly problems: readonly Problem[];
}

/** Whether a record equals the written one. The views are good during the call. */
export type RecordCheck = (table: string, key: Buffer, value: Buffer) => string | undefined;

const EVERYTHING: KeyRange = { after: undefined, before: undefined };
const MAX_PROBLEMS = 200;

/** Reads every page that is in use: the structure, the free pages, and each record by `check`. */
export function inspectFile(file: PageFile, check: RecordCheck): Inspection {
  const problems: Problem[] = [];
  const note = (table: string | undefined, range: KeyRange, what: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ table, range, what });
  };
  let meta: Meta;
  try {
    meta = file.meta();
  } catch (error) {
    if (!(error instanceof PageDamage)) throw error;
    note(undefined, EVERYTHING, error.message);
    return { transaction: 0, records: 0, bytes: 0, stated: new Map(), problems };
  }
  const used = new PageSet(meta.lastPage);
  const onPages = (first: number, count: number) => used.add(first, count);
  const stated = new Map<string, number>();
  let records = 0;
  let bytes = 0;

  const inspectTree = (table: string, tree: TreeRecord): void => {
    stated.set(table, tree.entries);
    const trees: [name: string, tree: TreeRecord][] = [];
    const walked = walkTree(file, meta, tree, {
      onPages,
      onRecord(key, value) {
        records += 1;
        const wrong = check(table, key, value);
        if (wrong !== undefined) note(table, { after: Buffer.from(key), before: Buffer.from(key) }, wrong);
      },
      onTree: (name, below) => void trees.push([tableName(name), below]),
      onDamage: (damage, range) => note(table, range, damage.message),
    });
    bytes += walked.bytes;
    for (const [name, below] of trees) inspectTree(name, below);
  };
  inspectTree('', meta.main);

  const free = walkTree(file, meta, meta.free, {
    onPages,
    onRecord: (_, value) => {
      for (const [first, count] of freePages(value)) used.add(first, count);
    },
    onDamage: (damage) => note(undefined, EVERYTHING, `list of free pages: ${damage.message}`),
  });
  return { transaction: meta.transaction, records, bytes: bytes + free.bytes, stated, problems };
}

/** Which pages of a file are in use, each for one thing only. */
class PageSet {
  readonly #bits: Uint8Array;
  readonly #pages: number;

  /** @param lastPage Last page of the file. Its two meta pages belong to the set from the beginning. */
  constructor(lastPage: number) {
    this.#pages = lastPage + 1;
    this.#bits = new Uint8Array((lastPage >> 3) + 1);
    this.#bits[0] = 0b11;
  }

  /** @throws {PageDamage} when one of them is in use already, or is outside of the file. */
  add(first: number, count: number): void {
    if (first < 2 || count < 1 || first + count > this.#pages) {
      throw new PageDamage(`pages ${first} to ${first + count - 1} are outside of the ${this.#pages} pages`);
    }
    for (let page = first; page < first + count; page += 1) {
      const index = page >> 3;
      const bit = 1 << (page & 7);
      const byte = this.#bits[index] as number;
      if ((byte & bit) !== 0) throw new PageDamage(`page ${page} is in use twice`);
      this.#bits[index] = byte | bit;
    }
  }
}

/**
 * The free pages in one record of the free tree: a count, then that many entries of 8 bytes. Zero is a gap, a positive
 * number is a page, a negative one is the number of consecutive pages from the next entry on.
 *
 * @throws {PageDamage} when the entries are invalid.
 */
function* freePages(value: Buffer): Iterable<readonly [first: number, count: number]> {
  const count = value.length < 8 ? -1 : u64(value, 0);
  if (count < 0 || 8 * (count + 1) > value.length) {
    throw new PageDamage(`a list of free pages has ${value.length} bytes for ${count} entries`);
  }
  for (let index = 1; index <= count; index += 1) {
    const entry = value.readBigInt64LE(8 * index);
    if (entry === 0n) continue;
    if (entry > 0n) {
      yield [Number(entry), 1];
      continue;
    }
    index += 1;
    if (index <= count) yield [u64(value, 8 * index), Number(-entry)];
  }
}
