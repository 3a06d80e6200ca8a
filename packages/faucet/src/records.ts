import { open } from 'lmdb';

/** Texts under keys, on disk. */
export interface Records {
  /** Everything under keys that begin with `prefix`, in order of the keys. */
  read(prefix: string): Iterable<readonly [key: string, value: string]>;
  /** All or nothing; on disk when it resolves. Writes come to the disk in the order of the calls. */
  write(changes: readonly Change[]): Promise<void>;
  close(): Promise<void>;
}

export interface Change {
  readonly key: string;
  /** Absent: the record is removed. */
  readonly value?: string;
}

/** Records in an LMDB database in a directory that exists. */
export function openLmdbRecords(path: string): Records {
  const db = open<string, string>({
    path,
    encoding: 'string',
    cache: false,
    compression: false,
    // A commit resolves when data and then meta page are on disk; otherwise it would resolve before the flush.
    overlappingSync: false,
  });
  return {
    *read(prefix) {
      for (const { key, value } of db.getRange({ start: prefix, end: `${prefix}\uffff` })) yield [key, value];
    },
    async write(changes) {
      await db.batch(() => {
        for (const { key, value } of changes) void (value === undefined ? db.remove(key) : db.put(key, value));
      });
    },
    close: () => db.close(),
  };
}
