import type { LedgerStore } from '../ledger.ts';

/** A disk of a test: its rows outlive the process that wrote them. */
export interface Disk {
  readonly rows: Map<string, Uint8Array>;
  /** Called before and after each write takes effect; may throw. */
  onWrite(when: 'before' | 'after'): void;
}

export function memoryDisk(): Disk {
  return { rows: new Map(), onWrite: () => undefined };
}

export function memoryStore(disk: Disk = memoryDisk()): LedgerStore {
  return {
    main: {
      get: (key) => disk.rows.get(key),
      entries: ({ start = '', end = '~' }) =>
        [...disk.rows].filter(([key]) => start <= key && key < end).sort(([a], [b]) => (a < b ? -1 : 1)),
      async put(key, value) {
        disk.rows.set(key, value);
        return true;
      },
      remove: async (key) => disk.rows.delete(key),
    },
    async batch(work) {
      disk.onWrite('before');
      work();
      disk.onWrite('after');
    },
  };
}
