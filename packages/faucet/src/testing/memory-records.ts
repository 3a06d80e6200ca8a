import type { Records } from '../records.ts';

/** A disk of a test: data outlives its writer. */
export interface Disk {
  readonly rows: Map<string, string>;
  /** Called before and after each write takes effect; may throw. */
  onWrite(when: 'before' | 'after'): void;
}

export function memoryDisk(): Disk {
  return { rows: new Map(), onWrite: () => undefined };
}

export function memoryRecords(disk: Disk = memoryDisk()): Records {
  return {
    read: (prefix) => [...disk.rows].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
    async write(changes) {
      disk.onWrite('before');
      for (const { key, value } of changes) {
        if (value === undefined) disk.rows.delete(key);
        else disk.rows.set(key, value);
      }
      disk.onWrite('after');
    },
    close: () => Promise.resolve(),
  };
}
