import { copyOfBytes } from '../checksum.ts';
import type { StoreKey, StoreRange, StoreTable } from '../store-table.ts';
import type { KeyTexts } from './keys.ts';
import type { Tree } from './tree.ts';
import type { Write } from './write-queue.ts';

/** Bytes are counted in pages as in a file. */
export const PAGE_BYTES = 4_096;

export interface TableStore {
  read(table: string): Tree;
  writeSync(write: Write): void;
  write(write: Write): Promise<boolean>;
}

/** Records in memory, without seals: there is no way on which they could be damaged. */
export class MemoryTable<K extends StoreKey> implements StoreTable<K> {
  readonly name: string;
  readonly #keys: KeyTexts<K>;
  readonly #store: TableStore;

  constructor(name: string, keys: KeyTexts<K>, store: TableStore) {
    this.name = name;
    this.#keys = keys;
    this.#store = store;
  }

  get(key: K): Uint8Array | undefined {
    const value = this.#store.read(this.name).get(this.#keys.encode(key));
    return value && copyOfBytes(value, value.length);
  }

  *entries(range: StoreRange<K>): Iterable<readonly [key: K, value: Uint8Array]> {
    for (const [key, value] of this.#rows(range)) yield [this.#keys.decode(key), copyOfBytes(value, value.length)];
  }

  *keys(range: StoreRange<K>): Iterable<K> {
    for (const [key] of this.#rows(range)) yield this.#keys.decode(key);
  }

  count(): number {
    return this.#store.read(this.name).count;
  }

  usedBytes(): number {
    return PAGE_BYTES * Math.ceil(this.#store.read(this.name).bytes / PAGE_BYTES);
  }

  putSync(key: K, value: Uint8Array): void {
    this.#store.writeSync(this.#write(key, value));
  }

  removeSync(key: K): void {
    this.#store.writeSync(this.#write(key, undefined));
  }

  put(key: K, value: Uint8Array): Promise<boolean> {
    return this.#store.write(this.#write(key, value));
  }

  remove(key: K): Promise<boolean> {
    return this.#store.write(this.#write(key, undefined));
  }

  /** The caller may change its bytes afterwards. */
  #write(key: K, value: Uint8Array | undefined): Write {
    const own = value && copyOfBytes(value, value.length);
    return { table: this.name, key: this.#keys.encode(key), value: own };
  }

  /** Rows of the version that there is now, regardless of writes in the meantime. */
  #rows({ start, end, ...range }: StoreRange<K>) {
    const [from, to] = [start, end].map((key) => (key === undefined ? undefined : this.#keys.encode(key)));
    return this.#store
      .read(this.name)
      .copy()
      .rows({ ...range, start: from, end: to });
  }
}
