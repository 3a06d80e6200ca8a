import { freePages } from './free-pages.ts';
import { type Meta, PageDamage, type TreeRecord } from './meta.ts';
import type { PageFile } from './page-file.ts';
import { PageSet } from './page-set.ts';
import { tableName } from './table-name.ts';
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

/** Whether a record is what was written. The views are good during the call. */
export type RecordCheck = (table: string, key: Buffer, value: Buffer) => string | undefined;

const EVERYTHING: KeyRange = { after: undefined, before: undefined };
const MAX_PROBLEMS = 200;

/** Reads every page that is in use: the structure, where free pages are, and each record by `check`. */
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
