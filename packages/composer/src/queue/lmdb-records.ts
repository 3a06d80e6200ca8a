import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import type { Kind, Records } from './journal.ts';

/** How keys on disk begin: fixed, regardless of the names of kinds here. */
const PREFIXES: Readonly<Record<Kind, string>> = { chunk: 'chunk', done: 'done', bundle: 'bundle', outcome: 'fate' };

/** Numbers of fixed width sort as numbers. */
const toKey = (kind: Kind, id: number): string => `${PREFIXES[kind]}/${String(id).padStart(16, '0')}`;

/** Records in an LMDB database in a directory. Writes of one moment share one flush to disk. */
export function openLmdbRecords(path: string, onDamage?: (error: StoreDamaged) => void): Records {
  const file = new StoreFile<string>(path, 'composer-queue', { keys: 'text', onDamage });
  /** Completion of the writes so far. */
  let written: Promise<void> = Promise.resolve();
  return {
    *read(kind) {
      const prefix = PREFIXES[kind];
      for (const [key, value] of file.main.entries({ start: `${prefix}/`, end: `${prefix}0` })) {
        yield [Number(key.slice(prefix.length + 1)), value];
      }
    },
    async write(changes) {
      const batch = file.batch(() => {
        for (const { kind, id, value } of changes) {
          const key = toKey(kind, id);
          void (value === undefined ? file.main.remove(key) : file.main.put(key, value));
        }
      });
      written = Promise.all([written, batch]).then(() => undefined);
      await written;
    },
    close: () => file.close(),
  };
}
