import type { StoreKey, StoreTable } from './store-table.ts';

export interface EngineOptions {
  readonly keys: 'text' | 'binary' | 'uint32';
  /**
   * A loss of power may undo the last transaction, which costs one flush less. For data that the process makes again at its next
   * start; a killed process loses nothing.
   */
  readonly isReplayed?: boolean | undefined;
}

/** Keeper of the tables of one open store, with errors as the system gives them. `StoreFile` describes their promises. */
export interface StoreEngine<K extends StoreKey> {
  /** Nothing was ever written to it. */
  readonly isNew: boolean;
  /** To be called once for each name; that of the main table is empty. */
  table(name: string): StoreTable<K>;
  transactionSync(work: () => void): void;
  batch(work: () => void): Promise<unknown>;
  /** Removes every record of the main table. */
  clear(): void;
  remap(whileClosed?: () => void): void;
  /** Later reads see commits of other threads. */
  refresh(): void;
  /** Bytes of the file. */
  size(): number;
  /** Notes alongside the data whether the store is in use. */
  label(closed: boolean): void;
  close(): Promise<void>;
}
