import { type StoreDamaged, StoreFile } from '@switchyard/storage';

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
export function openLmdbRecords(path: string, onDamage?: (error: StoreDamaged) => void): Records {
  const file = new StoreFile<string>(path, 'faucet-ledger', { keys: 'text', onDamage });
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return {
    *read(prefix) {
      for (const [key, value] of file.main.entries({ start: prefix, end: `${prefix}\uffff` })) {
        yield [key, decoder.decode(value)];
      }
    },
    async write(changes) {
      await file.batch(() => {
        for (const { key, value } of changes) {
          void (value === undefined ? file.main.remove(key) : file.main.put(key, encoder.encode(value)));
        }
      });
    },
    close: () => file.close(),
  };
}
