import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { CHECKSUM_BYTES, isSealed, sealValue, tableSeed } from './checksum.ts';
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
  /** What was left out. */
  readonly problems: readonly Problem[];
}

type Key = Buffer | number;

/**
 * Writes all records of a store into a new file, sealed and with the present format, and puts that in place of the old
 * one by one rename: a process that is killed meanwhile has changed nothing. Needs memory for a batch and disk space for
 * a second file.
 *
 * @param sealed Whether the old records are sealed. Those that are damaged are left out.
 * @param check Called with each record's bytes before they are sealed: why it is to be left out.
 * @param accept Whether to continue despite these problems; otherwise nothing changes.
 */
export function rewriteStore(
  directory: string,
  kind: StoreKind,
  {
    sealed,
    check = () => undefined,
    accept,
  }: {
    readonly sealed: boolean;
    readonly check?: (table: string, key: Buffer, value: Buffer) => string | undefined;
    readonly accept: (problems: readonly Problem[]) => boolean;
  },
): Rewritten {
  const path = dataFile(directory);
  const next = join(directory, 'rewrite');
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { mode: 0o700 });
  const target = new Target(next, kind);
  const source = new PageFile(path);
  try {
    let written = 0;
    const { problems } = inspectFile(source, (table, key, value) => {
      if (table === kind.table && key.equals(kind.formatKey)) return undefined;
      const seed = tableSeed(table);
      if (sealed && !isSealed(seed, key, value)) return 'the checksum of the record is wrong';
      const plain = sealed ? value.subarray(0, value.length - CHECKSUM_BYTES) : value;
      const wrong = check(table, key, plain);
      if (wrong !== undefined) return wrong;
      written += 1;
      target.put(table, key, sealed ? Uint8Array.from(value) : sealValue(seed, key, plain));
      return undefined;
    });
    target.finish();
    if (accept(problems)) {
      chmodSync(dataFile(next), statSync(path).mode & 0o777);
      renameSync(dataFile(next), path);
      syncPath(directory);
    }
    return { written, problems };
  } finally {
    source.close();
    target.close();
    rmSync(next, { recursive: true, force: true });
  }
}

/** The new file, written in batches. */
class Target {
  readonly #kind: StoreKind;
  readonly #db: RootDatabase<Uint8Array, Key>;
  #batch: { readonly table: string; readonly key: Buffer; readonly value: Uint8Array }[] = [];
  #bytes = 0;
  #closed = false;

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

  put(table: string, key: Buffer, value: Uint8Array): void {
    this.#batch.push({ table, key: Buffer.from(key), value });
    this.#bytes += key.length + value.length;
    if (this.#bytes >= BATCH_BYTES || this.#batch.length >= BATCH_RECORDS) this.#write();
  }

  finish(): void {
    const { format, formatKey, table } = this.#kind;
    this.put(table, formatKey, sealValue(tableSeed(table), formatKey, Buffer.from(format, 'latin1')));
    this.#write();
    this.close();
  }

  /** Nothing is written asynchronously here, so the file is closed when this returns. */
  close(): void {
    if (!this.#closed) void this.#db.close();
    this.#closed = true;
  }

  #write(): void {
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
