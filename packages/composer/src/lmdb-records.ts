import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import type { Kind, Records } from './journal.ts';

/** Numbers of fixed width sort as numbers. */
const keyOf = (kind: Kind, id: number): string => `${kind}/${String(id).padStart(16, '0')}`;

/** Records in an LMDB database in a directory. Writes of one moment share one flush to disk. */
export function openLmdbRecords(path: string, onDamage?: (error: StoreDamaged) => void): Records {
  const file = new StoreFile<string>(path, 'composer-queue', { keys: 'text', onDamage });
  return {
    *read(kind) {
      for (const [key, value] of file.main.entries({ start: `${kind}/`, end: `${kind}0` })) {
        yield [Number(key.slice(kind.length + 1)), value];
      }
    },
    async write(changes) {
      await file.batch(() => {
        for (const { kind, id, value } of changes) {
          const key = keyOf(kind, id);
          void (value === undefined ? file.main.remove(key) : file.main.put(key, value));
        }
      });
    },
    close: () => file.close(),
  };
}
