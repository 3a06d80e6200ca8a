import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { isSealed, sealValue, tableSeed } from './checksum.ts';
import { dataFile } from './examine.ts';
import type { StoreKind } from './kinds.ts';
import { inspectFile, type Problem } from './pages/inspect.ts';
import { PageFile } from './pages/page-file.ts';

const BATCH_BYTES = 4 * 1_048_576;
const BATCH_RECORDS = 4_096;
const MAP_SIZE = 2 ** 36;
const MAX_TABLES = 64;

export interface Rewritten {
  /** Records in the new file, without that of the format. */
  readonly written: number;
  /** Records that were left out, with the reason. */
  readonly problems: readonly Problem[];
  /** Records that the old file states and the new one lacks. */
  readonly missing: number;
}

type Key = Buffer | number;

/**
 * Writes all undamaged records of a store into a new file, with the format, and puts that in place of the old
 * one by one rename: a process that is killed meanwhile has changed nothing. Needs memory for a batch and disk space for
 * a second file.
 *
 * @param copy Data file of a whole copy, sealed, that the records come from which the old file lacks.
 * @param accept Whether to continue despite these problems; otherwise nothing changes.
 */
export function rewriteStore(
  directory: string,
  kind: StoreKind,
  { copy, accept }: { readonly copy?: string | undefined; readonly accept: (rewritten: Rewritten) => boolean },
): Rewritten {
  const path = dataFile(directory);
  const next = join(directory, 'rewrite');
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { mode: 0o700 });
  const target = new Target(next, kind);
  const source = new PageFile(path);
  try {
    const { problems, stated } = inspectFile(source, (table, key, value) => {
      if (table === kind.table && key.equals(kind.formatKey)) return undefined;
      if (!isSealed(tableSeed(table), key, value)) return 'the checksum of the record is wrong';
      target.put(table, key, Uint8Array.from(value));
      return undefined;
    });
    if (copy !== undefined) addMissing(target, copy);
    const written = target.count();
    target.finish();
    const lacking = Array.from(stated, ([table, entries]) => Math.max(0, entries - target.entries(table)));
    const rewritten = { written, problems, missing: lacking.reduce((sum, each) => sum + each, 0) };
    if (accept(rewritten)) {
      chmodSync(dataFile(next), statSync(path).mode & 0o777);
      renameSync(dataFile(next), path);
      syncPath(directory);
    }
    return rewritten;
  } finally {
    source.close();
    target.close();
    rmSync(next, { recursive: true, force: true });
  }
}

function addMissing(target: Target, path: string): void {
  target.flush();
  const source = new PageFile(path);
  try {
    inspectFile(source, (table, key, value) => {
      if (!target.has(table, key)) target.put(table, key, Uint8Array.from(value));
      return undefined;
    });
  } finally {
    source.close();
  }
}

/** The new file, written in batches. */
class Target {
  readonly #kind: StoreKind;
  readonly #db: RootDatabase<Uint8Array, Key>;
  #batch: { readonly table: string; readonly key: Buffer; readonly value: Uint8Array }[] = [];
  #bytes = 0;
  #closed = false;
  /** Records of each table. */
  readonly #counts = new Map<string, number>();

  constructor(directory: string, kind: StoreKind) {
    this.#kind = kind;
    this.#db = open<Uint8Array, Key>({
      path: directory,
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: kind.integerKeys ? 'uint32' : 'binary',
      overlappingSync: false,
      mapSize: MAP_SIZE,
      maxDbs: MAX_TABLES,
      noMemInit: true,
    });
  }

  /** Records so far. */
  count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Entries of a table as its tree states them. */
  entries(table: string): number {
    const names = table === '' ? [...this.#counts.keys()].filter((name) => name !== '').length : 0;
    return (this.#counts.get(table) ?? 0) + names;
  }

  /** Whether a record was flushed. The one of the format counts as such: `finish` writes it. */
  has(table: string, key: Buffer): boolean {
    if (table === this.#kind.table && key.equals(this.#kind.formatKey)) return true;
    return this.#table(table).doesExist(this.#kind.integerKeys ? key.readUInt32LE() : key);
  }

  put(table: string, key: Buffer, value: Uint8Array): void {
    this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
    this.#batch.push({ table, key: Buffer.from(key), value });
    this.#bytes += key.length + value.length;
    if (this.#bytes >= BATCH_BYTES || this.#batch.length >= BATCH_RECORDS) this.flush();
  }

  finish(): void {
    const { format, formatKey, table } = this.#kind;
    this.put(table, formatKey, sealValue(tableSeed(table), formatKey, Buffer.from(format, 'latin1')));
    this.flush();
    this.close();
  }

  /** Nothing is written asynchronously here, so the file is closed when this returns. */
  close(): void {
    if (!this.#closed) void this.#db.close();
    this.#closed = true;
  }

  flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    const tables = new Map([...new Set(batch.map(({ table }) => table))].map((table) => [table, this.#table(table)]));
    this.#db.transactionSync(() => {
      for (const { table, key, value } of batch) {
        tables.get(table)?.putSync(this.#kind.integerKeys ? key.readUInt32LE() : key, value);
      }
    });
  }

  #table(name: string) {
    return name === ''
      ? this.#db
      : this.#db.openDB<Uint8Array, Key>(name, { encoding: 'binary', keyEncoding: 'binary' });
  }
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
