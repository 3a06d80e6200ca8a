import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKSUM_BYTES, isSealed, tableSeed } from './checksum.ts';
import { dataFile } from './examine.ts';
import { STORE_KINDS, type StoreKind, type StoreKindName } from './kinds.ts';
import { LmdbEngine } from './lmdb-engine.ts';
import { type Inspection, inspectFile, type Problem } from './pages/inspect.ts';
import { readPages } from './pages/page-file.ts';
import type { StoreTable } from './store-table.ts';

const BATCH_BYTES = 4 * 1_048_576;
const BATCH_RECORDS = 4_096;

export interface Rewritten {
  /** Records in the new file, without that of the format. */
  readonly written: number;
  /** Records that were left out, with the reason. */
  readonly problems: readonly Problem[];
  /** Records that the old file states and the new one lacks. */
  readonly missing: number;
}

/**
 * Writes all undamaged records of a store with binary or text keys into a new file, with the format, and puts that in place of the
 * old one by one rename: a process that is killed during it has changed nothing. Needs memory for a batch and disk space for
 * a second file.
 *
 * @param copy Data file of a whole copy that the records come from which the old file lacks.
 * @param accept Whether to continue despite these problems; otherwise nothing changes.
 */
export function rewriteStore(
  directory: string,
  kindName: StoreKindName,
  { copy, accept }: { readonly copy?: string | undefined; readonly accept: (rewritten: Rewritten) => boolean },
): Rewritten {
  const path = dataFile(directory);
  const next = join(directory, 'rewrite');
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { mode: 0o700 });
  try {
    const rewritten = new Target(next, kindName).fill(path, copy);
    if (accept(rewritten)) {
      chmodSync(dataFile(next), statSync(path).mode & 0o777);
      renameSync(dataFile(next), path);
      syncPath(directory);
    }
    return rewritten;
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/** The new file, written in batches. */
class Target {
  readonly #kind: StoreKind;
  readonly #engine: LmdbEngine<Uint8Array>;
  readonly #tables = new Map<string, StoreTable<Uint8Array>>();
  #batch: { readonly table: StoreTable<Uint8Array>; readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
  #bytes = 0;

  constructor(directory: string, kindName: StoreKindName) {
    this.#kind = STORE_KINDS[kindName];
    this.#engine = new LmdbEngine(directory, kindName, { keys: 'binary' }, (table, key) => {
      const what = `table=${table} key=${Buffer.from(key).toString('hex')}`;
      throw new Error(`${dataFile(directory)} is damaged already: ${what}`);
    });
  }

  /** Nothing is written asynchronously, so the file is closed when this returns. */
  fill(path: string, copy: string | undefined): Rewritten {
    try {
      const { problems, stated } = this.#add(path);
      if (copy !== undefined) this.#add(copy);
      return { problems, ...this.#finish(stated) };
    } finally {
      void this.#engine.close();
    }
  }

  /** Takes the undamaged records of a file that are not there yet. */
  #add(path: string): Inspection {
    const isFirst = this.#tables.size === 0;
    const inspection = readPages(path, (file) =>
      inspectFile(file, (table, key, sealed) => {
        if (table === this.#kind.table && key.equals(this.#kind.formatKey)) return undefined;
        if (!isFirst && this.#table(table).get(key) !== undefined) return undefined;
        if (!isSealed(tableSeed(table), key, sealed)) return 'the checksum of the record is wrong';
        this.#put(table, key, sealed.subarray(0, -CHECKSUM_BYTES));
        return undefined;
      }),
    );
    this.#flush();
    return inspection;
  }

  /** @param stated Entries of each table of the old file. */
  #finish(stated: Inspection['stated']) {
    const { format, formatKey, table } = this.#kind;
    this.#put(table, formatKey, Buffer.from(format, 'latin1'));
    this.#flush();
    const counts = new Map(Array.from(this.#tables, ([name, each]) => [name, each.count()]));
    const lacking = Array.from(stated, ([name, entries]) => Math.max(0, entries - (counts.get(name) ?? 0)));
    // The main table has an entry for each other one.
    return { written: sum(counts.values()) - this.#tables.size, missing: sum(lacking) };
  }

  #put(table: string, key: Uint8Array, value: Uint8Array): void {
    this.#batch.push({ table: this.#table(table), key: Uint8Array.from(key), value: Uint8Array.from(value) });
    this.#bytes += key.length + value.length;
    if (this.#bytes >= BATCH_BYTES || this.#batch.length >= BATCH_RECORDS) this.#flush();
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    this.#engine.transactionSync(() => {
      for (const { table, key, value } of batch) table.putSync(key, value);
    });
  }

  #table(name: string): StoreTable<Uint8Array> {
    const table = this.#tables.get(name) ?? this.#engine.table(name);
    this.#tables.set(name, table);
    return table;
  }
}

function sum(numbers: Iterable<number>): number {
  return Array.from(numbers).reduce((total, each) => total + each, 0);
}

/** A file or a directory; a renamed file survives a loss of power only when its directory is on disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
