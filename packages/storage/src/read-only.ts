import { dirname } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { CHECKSUM_BYTES } from './checksum.ts';

interface Keys {
  readonly text: string;
  readonly binary: Uint8Array;
}

/** One version of a table. Values are without their checksums. */
export interface ReadOnlyTable<K extends Keys[keyof Keys]> {
  get(key: K): Uint8Array | undefined;
  /** In the order of the keys. */
  entries(range?: { readonly start: K; readonly end: K }): Iterable<readonly [key: K, value: Uint8Array]>;
}

const MAX_TABLES = 64;

/**
 * Reads one version of a store by LMDB while others may write to it. The file is mapped: inspect it first.
 *
 * @param path Path of the data file. Checksums are not looked at here.
 * @param names Names of the tables; empty for the main one. One that the file does not have is empty.
 */
export function readOnly<E extends keyof Keys, N extends string, T>(
  path: string,
  keys: E,
  names: readonly N[],
  work: (tables: Readonly<Record<N, ReadOnlyTable<Keys[E]>>>) => T,
): T {
  const encodings = { encoding: 'binary', ...(keys === 'binary' && { keyEncoding: 'binary' as const }) } as const;
  const db = open<Uint8Array, Keys[E]>({
    path: dirname(path),
    noSubdir: false,
    readOnly: true,
    cache: false,
    maxDbs: MAX_TABLES,
    ...encodings,
  });
  try {
    // Opened before the snapshot is taken.
    const opened = names.map(
      (name) => [name, name === '' ? db : db.openDB<Uint8Array, Keys[E]>(name, encodings)] as const,
    );
    const transaction = db.useReadTransaction();
    try {
      const tables = opened.map(([name, table]) => [name, tableOf(table, transaction)]);
      return work(Object.fromEntries(tables) as Record<N, ReadOnlyTable<Keys[E]>>);
    } finally {
      transaction.done();
    }
  } finally {
    void db.close();
  }
}

/** @param table Declared to be there; in a file that is only read, it may be missing. */
function tableOf<K extends Keys[keyof Keys]>(
  table: Database<Uint8Array, K> | undefined,
  transaction: ReturnType<RootDatabase['useReadTransaction']>,
): ReadOnlyTable<K> {
  const opened = (value: Uint8Array) => Uint8Array.from(value.subarray(0, value.length - CHECKSUM_BYTES));
  return {
    get(key) {
      const value = table?.get(key, { transaction });
      return value && opened(value);
    },
    *entries(range) {
      for (const { key, value } of table?.getRange({ ...range, transaction }) ?? [])
        yield [typeof key === 'string' ? key : (Uint8Array.from(key) as K), opened(value)] as const;
    },
  };
}
