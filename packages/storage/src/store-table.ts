/** Keys that LMDB takes: text of ASCII, bytes, or an unsigned integer of 32 bits. */
export type StoreKey = string | Uint8Array | number;

/** From `start`, the highest key if it is reversed, to `end`. A bound that is not there is open. */
export interface StoreRange<K> {
  readonly start?: K | undefined;
  readonly exclusiveStart?: boolean;
  readonly end?: K | undefined;
  readonly inclusiveEnd?: boolean;
  readonly reverse?: boolean;
  readonly limit?: number | undefined;
}

/** Records under keys. */
export interface StoreTable<K extends StoreKey> {
  readonly name: string;
  /** A copy. @throws {StoreDamaged} */
  get(key: K): Uint8Array | undefined;
  /** Copies, in the order of the keys. @throws {StoreDamaged} */
  entries(range: StoreRange<K>): Iterable<readonly [key: K, value: Uint8Array]>;
  /** Without their values. */
  keys(range: StoreRange<K>): Iterable<K>;
  /** Number of records. */
  count(): number;
  /** Bytes of the pages in use, in whole pages. */
  usedBytes(): number;
  putSync(key: K, value: Uint8Array): void;
  removeSync(key: K): void;
  /** Resolves when it is on disk, unless a batch is under way. */
  put(key: K, value: Uint8Array): Promise<boolean>;
  remove(key: K): Promise<boolean>;
}
