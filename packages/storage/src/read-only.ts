import { dirname } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { CHECKSUM_BYTES } from './checksum.ts';

/** One version of a file's main table, under text keys. Values are without their checksums. */
export interface ReadOnlyRecords {
  get(key: string): Uint8Array | undefined;
  entries(prefix: string): Iterable<readonly [key: string, value: Uint8Array]>;
}

/** One version of a named table, under binary keys. Values are without their checksums. */
export interface ReadOnlyTable {
  get(key: Uint8Array): Uint8Array | undefined;
  /** In the order of the keys. */
  entries(): Iterable<readonly [key: Uint8Array, value: Uint8Array]>;
}

/**
 * Reads one version of a store by LMDB while others may write to it. The file is mapped: inspect it first.
 *
 * @param path Path of the data file. Checksums are not looked at here.
 */
export function readOnly<T>(path: string, work: (records: ReadOnlyRecords) => T): T {
  return inSnapshot<string, T>(path, { maxDbs: 1 }, (db, transaction, opened) =>
    work({
      get(key) {
        const value = db.get(key, { transaction });
        return value === undefined ? undefined : opened(value);
      },
      *entries(prefix) {
        for (const { key, value } of db.getRange({ start: prefix, end: `${prefix}\x7f`, transaction })) {
          yield [key, opened(value)] as const;
        }
      },
    }),
  );
}

const MAX_TABLES = 64;
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/**
 * Opens named tables for reading. One that the file does not have is empty.
 *
 * @param names Names of the tables, which are opened before the snapshot is taken.
 */
export function readOnlyTables<N extends string, T>(
  path: string,
  names: readonly N[],
  work: (tables: Readonly<Record<N, ReadOnlyTable>>) => T,
): T {
  const found = new Map<string, Database<Uint8Array, Uint8Array>>();
  const prepare = (db: RootDatabase<Uint8Array, Uint8Array>) => {
    // A table is declared to be there; of a file that is read only, one may be missing.
    for (const name of names) {
      const table: Database<Uint8Array, Uint8Array> | undefined = db.openDB(name, BINARY);
      if (table !== undefined) found.set(name, table);
    }
  };
  return inSnapshot<Uint8Array, T>(path, { maxDbs: MAX_TABLES, ...BINARY, prepare }, (_, transaction, opened) => {
    const tables = names.map((name): [N, ReadOnlyTable] => {
      const table = found.get(name);
      return [
        name,
        {
          get(key) {
            const value = table?.get(key, { transaction });
            return value && opened(value);
          },
          *entries() {
            for (const { key, value } of table?.getRange({ transaction }) ?? []) {
              yield [Uint8Array.from(key), opened(value)] as const;
            }
          },
        },
      ];
    });
    return work(Object.fromEntries(tables) as Record<N, ReadOnlyTable>);
  });
}

type Snapshot = ReturnType<RootDatabase['useReadTransaction']>;

interface SnapshotOptions<K extends Key> {
  readonly maxDbs: number;
  readonly keyEncoding?: 'binary';
  readonly prepare?: (db: RootDatabase<Uint8Array, K>) => void;
}

function inSnapshot<K extends Key, T>(
  path: string,
  { prepare, ...options }: SnapshotOptions<K>,
  work: (db: RootDatabase<Uint8Array, K>, transaction: Snapshot, opened: (value: Uint8Array) => Uint8Array) => T,
): T {
  const opened = (value: Uint8Array) => Uint8Array.from(value.subarray(0, value.length - CHECKSUM_BYTES));
  const db = open<Uint8Array, K>({
    path: dirname(path),
    noSubdir: false,
    encoding: 'binary',
    readOnly: true,
    cache: false,
    ...options,
  });
  try {
    prepare?.(db);
    const transaction = db.useReadTransaction();
    try {
      return work(db, transaction, opened);
    } finally {
      transaction.done();
    }
  } finally {
    void db.close();
  }
}
