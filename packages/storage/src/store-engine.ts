import type { StoreKey, StoreTable } from './store-table.ts';

/** Keeper of the tables of one open store, with errors as the system gives them. `StoreFile` has what they promise. */
export interface StoreEngine<K extends StoreKey> {
  /** Nothing was ever written to it. */
  readonly isNew: boolean;
  /** To be called once for each name; that of the main table is empty. */
  table(name: string): StoreTable<K>;
  transactionSync(work: () => void): void;
  batch(work: () => void): Promise<unknown>;
  /** Removes every record of the main table. */
  clear(): void;
  remap(): void;
  /** Bytes of the file. */
  size(): number;
  /** Notes beside the data whether the store is in use. */
  label(closed: boolean): void;
  close(): Promise<void>;
}
