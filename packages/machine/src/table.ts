import { decodeValue, encodeValue, type KeyCodec, type ValueCodec } from './codec.ts';
import { readStored } from './fault.ts';
import type { StateReader, StateWriter } from './store/state.ts';

export interface TableRange<K> {
  /** Text that keys begin with, under the table's prefix: the first part of a pair and its slash, say. */
  readonly within?: string;
  /** Both exclusive. */
  readonly after?: K;
  readonly before?: K;
  readonly reverse?: boolean;
  readonly limit: number;
}

/** A typed keyspace. `get` answers `Absent` if nothing is stored. */
export interface Table<K, V, Absent> {
  readonly prefix: string;
  get(state: StateReader, key: K): V | Absent;
  has(state: StateReader, key: K): boolean;
  put(state: StateWriter, key: K, value: V): void;
  delete(state: StateWriter, key: K): void;
  range(state: StateReader, options: TableRange<K>): Iterable<readonly [K, V]>;
  /** The key as the store knows it, for proofs. */
  storeKey(key: K): string;
  /** The value of a row in its bytes, as a proof shows it; undefined if there is no row. @throws {Error} for other bytes. */
  decode(stored: Uint8Array | undefined): V | Absent;
}

interface TableDefinition<K, V> {
  /** Ends with a slash, and no other table's prefix begins with it. */
  readonly prefix: string;
  readonly key: KeyCodec<K>;
  readonly value: ValueCodec<V>;
}

export function table<K, V>(definition: TableDefinition<K, V> & { readonly absent: V }): Table<K, V, V>;
export function table<K, V>(definition: TableDefinition<K, V>): Table<K, V, undefined>;
export function table<K, V>(definition: TableDefinition<K, V> & { readonly absent?: V }): Table<K, V, V | undefined> {
  const { prefix, key: keys, value: values, absent } = definition;
  if (!prefix.endsWith('/')) throw new Error(`table prefix does not end with a slash: ${prefix}`);
  const storeKey = (key: K): string => prefix + keys.toKey(key);
  const decode = (stored: Uint8Array | undefined): V | undefined =>
    stored === undefined ? absent : decodeValue(values, stored);

  return {
    prefix,
    storeKey,
    decode,
    get: (state, key) => decode(state.get(storeKey(key))),
    has: (state, key) => state.get(storeKey(key)) !== undefined,
    put: (state, key, value) => state.put(storeKey(key), encodeValue(values, value)),
    delete: (state, key) => state.delete(storeKey(key)),
    *range(state, { within = '', after, before, reverse = false, limit }) {
      const found = state.range({
        prefix: prefix + within,
        ...(after === undefined ? {} : { after: storeKey(after) }),
        ...(before === undefined ? {} : { before: storeKey(before) }),
        reverse,
        limit,
      });
      for (const [key, value] of found) {
        yield [readStored(() => keys.fromKey(key.slice(prefix.length))), decodeValue(values, value)] as const;
      }
    },
  };
}
