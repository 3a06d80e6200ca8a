import { dirname } from 'node:path';
import { open } from 'lmdb';
import { CHECKSUM_BYTES } from './checksum.ts';

/** One version of a file's main table, under text keys. Values are without their checksums. */
export interface ReadOnlyRecords {
  get(key: string): Uint8Array | undefined;
  entries(prefix: string): Iterable<readonly [key: string, value: Uint8Array]>;
}

/**
 * Reads one version of a store by LMDB while others may write to it. The file is mapped: inspect it first.
 *
 * @param path Of the data file.
 * @param sealed Whether values are followed by checksums, which are not looked at here.
 */
export function readOnly<T>(path: string, sealed: boolean, work: (records: ReadOnlyRecords) => T): T {
  const overhead = sealed ? CHECKSUM_BYTES : 0;
  const db = open<Uint8Array, string>({
    path: dirname(path),
    noSubdir: false,
    encoding: 'binary',
    readOnly: true,
    cache: false,
  });
  const transaction = db.useReadTransaction();
  try {
    const opened = (value: Uint8Array) => Uint8Array.from(value.subarray(0, value.length - overhead));
    return work({
      get(key) {
        const value = db.get(key, { transaction });
        return value === undefined ? undefined : opened(value);
      },
      *entries(prefix) {
        for (const { key, value } of db.getRange({ start: prefix, end: `${prefix}\x7f`, transaction })) {
          yield [key, opened(value)] as const;
        }
      },
    });
  } finally {
    transaction.done();
    void db.close();
  }
}
