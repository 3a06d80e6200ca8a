import { open } from 'lmdb';
import type { Kind, Records } from './journal.ts';

/** Numbers of fixed width sort as numbers. */
const keyOf = (kind: Kind, id: number): string => `${kind}/${String(id).padStart(16, '0')}`;

/** Records in an LMDB database in a directory. Writes of one moment share one flush to disk. */
export function openLmdbRecords(path: string): Records {
  const db = open<Uint8Array, string>({
    path,
    encoding: 'binary',
    cache: false,
    compression: false,
    // A commit resolves when data and then meta page are on disk; otherwise it would resolve before the flush.
    overlappingSync: false,
  });
  return {
    *read(kind) {
      for (const { key, value } of db.getRange({ start: `${kind}/`, end: `${kind}0` })) {
        yield [Number(key.slice(kind.length + 1)), new Uint8Array(value)];
      }
    },
    async write(changes) {
      await db.batch(() => {
        for (const { kind, id, value } of changes) {
          const key = keyOf(kind, id);
          void (value === undefined ? db.remove(key) : db.put(key, value));
        }
      });
    },
    close: () => db.close(),
  };
}
