import {
  INDEX_PREFIX,
  raw,
  type Snapshot,
  type StateReader,
  type StateWriter,
  table as storeTable,
} from '@switchyard/machine/browser';
import { Rejected } from '@switchyard/protocol';
import { decode, encode } from '../schema/codec.ts';
import { type Fields, type RecordType, record } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { type KeyOf, type Keys, type KeyTypes, keysOf, mustBeShort } from './keys.ts';

export interface RangeOf<K> {
  /** The first parts of a key of several parts. */
  readonly first?: readonly unknown[];
  /** Both exclusive. */
  readonly after?: K;
  readonly before?: K;
  readonly reverse?: boolean;
  /** At most {@link MOST_ROWS} rows, whatever a parameter of a query asks for. */
  readonly limit: number;
}

/** Rows of one range, which is read in one go. */
const MOST_ROWS = 10_000;

/** A secondary index: rows of the table in the order of another key. It is no part of the state root. */
export interface TableIndex<V> {
  readonly key: KeyTypes;
  /** Parts of the key of a row; undefined leaves the row out. */
  of(value: V): readonly unknown[] | undefined;
}

/** Parts of a table that its description and its reader need. */
export interface Rows<K, V> {
  readonly name: string;
  readonly help: string;
  /** Whether the rows are in the state root. */
  readonly isAuthenticated: boolean;
  readonly key: KeyTypes;
  readonly value: Type<V>;
  readonly indexes: Readonly<Record<string, TableIndex<V>>>;
  /** For queries, over what is committed. */
  range(snapshot: Snapshot, options: RangeOf<K>): Iterable<readonly [K, V]>;
  /** A page of rows, after that of a cursor. @throws {Rejected} for text that is no cursor. */
  page(snapshot: Snapshot, after: string | undefined, limit: number): Iterable<TableRow<V>>;
}

interface TableRow<V> {
  readonly key: readonly unknown[];
  readonly value: V;
  /** The key as the store has it, below the name of the table. */
  readonly cursor: string;
}

/** Typed rows. `get` returns `Absent` where there is none. */
export interface Table<K, V, Absent = V | undefined> extends Rows<K, V> {
  get(state: StateReader, key: K): V | Absent;
  has(state: StateReader, key: K): boolean;
  put(state: StateWriter, key: K, value: V): void;
  delete(state: StateWriter, key: K): void;
  /** Rows in the order of an index, those whose index key begins with these parts. */
  by(snapshot: Snapshot, index: string, parts: readonly unknown[], options: Limits): Iterable<readonly [K, V]>;
  /** The key as the store knows it, for proofs. */
  storeKey(key: K): string;
}

interface Limits {
  readonly reverse?: boolean;
  readonly limit: number;
}

/** A table of one row. */
export interface Single<V, Absent = V | undefined> extends Rows<readonly [], V> {
  get(state: StateReader): V | Absent;
  put(state: StateWriter, value: V): void;
  delete(state: StateWriter): void;
  storeKey(): string;
}

// A table of any rows is only described, or given rows that came from it.
// biome-ignore lint/suspicious/noExplicitAny: the types of rows are those of the table itself
export type AnyTable = Rows<any, any>;

interface TableOptions<K, V> {
  /** Names its rows in the store, which makes it part of the state root. */
  readonly name: string;
  readonly help?: string;
  readonly key: K;
  readonly value: Type<V>;
  /** Keeps the rows out of the state root: actions must not read them. */
  readonly derived?: boolean;
  readonly indexes?: Readonly<Record<string, TableIndex<V>>>;
}

const TABLE_NAME = /^[a-z][a-zA-Z0-9]{0,31}$/;

/** @throws {Error} naming what of it cannot be. */
export function table<const K extends Type<unknown> | KeyTypes, V>(
  options: TableOptions<K, V> & { readonly absent: V },
): Table<KeyOf<K>, V, V>;
export function table<const K extends Type<unknown> | KeyTypes, V>(
  options: TableOptions<K, V>,
): Table<KeyOf<K>, V, undefined>;
export function table<const K extends Type<unknown> | KeyTypes, V>(
  options: TableOptions<K, V> & { readonly absent?: V },
): Table<KeyOf<K>, V, V | undefined> {
  const { name, help = '', key, value, derived = false, indexes = {}, absent } = options;
  try {
    return build(name, help, key, value, derived, indexes, absent);
  } catch (cause) {
    throw new Error(`table ${JSON.stringify(name)}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** A table of one row. */
export function single<V>(
  options: Omit<TableOptions<readonly [], V>, 'key' | 'indexes'> & { readonly absent: V },
): Single<V, V>;
export function single<V>(options: Omit<TableOptions<readonly [], V>, 'key' | 'indexes'>): Single<V, undefined>;
export function single<V>(
  options: Omit<TableOptions<readonly [], V>, 'key' | 'indexes'> & { readonly absent?: V },
): Single<V, V | undefined> {
  const rows = table({ ...options, key: [] });
  return {
    ...rows,
    get: (state) => rows.get(state, []) ?? options.absent,
    put: (state, value) => rows.put(state, [], value),
    delete: (state) => rows.delete(state, []),
    storeKey: () => rows.storeKey([]),
  };
}

function build<K extends Type<unknown> | KeyTypes, V>(
  name: string,
  help: string,
  key: K,
  value: Type<V>,
  isDerived: boolean,
  indexes: Readonly<Record<string, TableIndex<V>>>,
  absent: V | undefined,
): Table<KeyOf<K>, V, V | undefined> {
  if (!TABLE_NAME.test(name)) throw new Error('expected a name in lowerCamelCase of at most 32 letters and digits');
  const isSingle = !Array.isArray(key);
  // An array is the list of parts, anything else is the one part.
  const types = (isSingle ? [key] : key) as KeyTypes;
  const keys = keysOf(types);
  const prefix = isDerived ? `${INDEX_PREFIX}rows/${name}/` : `tables/${name}/`;
  mustBeShort(prefix, keys);
  const codec = rowCodec(value);
  const rows = storeTable({
    prefix,
    value: raw,
    key: {
      parts: Math.max(1, types.length),
      toKey: (parts: readonly unknown[]) => (types.length === 0 ? ONLY : keys.toKey(parts)),
      fromKey: (found) => (types.length === 0 ? [] : keys.fromKey(found)),
    },
  });
  const partsOf = (given: KeyOf<K>): readonly unknown[] => (isSingle ? [given] : (given as readonly unknown[]));
  const keyOf = (parts: readonly unknown[]): KeyOf<K> => (isSingle ? parts[0] : parts) as KeyOf<K>;
  const maintained = Object.entries(indexes).map(([index, { key: indexKey, of }]) =>
    maintainedIndex(`${INDEX_PREFIX}by/${name}/${index}/`, keysOf(indexKey), keys, of),
  );
  const byName = new Map(Object.keys(indexes).map((index, at) => [index, maintained[at]]));
  const read = (stored: Uint8Array): V => codec.decode(stored);
  const get = (state: StateReader, parts: readonly unknown[]): V | undefined => {
    const stored = rows.get(state, parts);
    return stored === undefined ? undefined : read(stored);
  };
  const forget = (state: StateWriter, parts: readonly unknown[]): void => {
    if (maintained.length === 0) return;
    const before = get(state, parts);
    if (before !== undefined) for (const index of maintained) index.delete(state, before, parts);
  };
  return {
    name,
    help,
    isAuthenticated: !isDerived,
    key: types,
    value,
    indexes,
    storeKey: (given) => rows.storeKey(partsOf(given)),
    get: (state, given) => get(state, partsOf(given)) ?? absent,
    has: (state, given) => rows.has(state, partsOf(given)),
    put(state, given, row) {
      const parts = partsOf(given);
      forget(state, parts);
      rows.put(state, parts, codec.encode(row));
      for (const index of maintained) index.put(state, row, parts);
    },
    delete(state, given) {
      const parts = partsOf(given);
      forget(state, parts);
      rows.delete(state, parts);
    },
    *range(snapshot, { first = [], after, before, reverse = false, limit }) {
      const found = rows.range(snapshot, {
        ...{ reverse, limit: Math.min(limit, MOST_ROWS), within: withinText(keys, first) },
        ...(after !== undefined && { after: partsOf(after) }),
        ...(before !== undefined && { before: partsOf(before) }),
      });
      for (const [parts, stored] of found) yield [keyOf(parts), read(stored)] as const;
    },
    *page(snapshot, after, limit) {
      if (after !== undefined && !/^[ -~]{0,500}$/.test(after))
        throw new Rejected('malformed', { field: 'after', expected: 'the cursor of a page' });
      const found = snapshot.range({ prefix, limit, ...(after !== undefined && { after: prefix + after }) });
      for (const [stored, bytes] of found) {
        const cursor = stored.slice(prefix.length);
        yield { key: types.length === 0 ? [] : keys.fromKey(cursor), value: read(bytes), cursor };
      }
    },
    *by(snapshot, index, parts, { reverse = false, limit }) {
      const chosen = byName.get(index);
      if (chosen === undefined) throw new Error(`table "${name}" has no index "${index}"`);
      for (const found of chosen.range(snapshot, parts, reverse, limit)) {
        const row = get(snapshot, found);
        if (row === undefined) throw new Error(`index "${index}" of table "${name}" has a row that the table lacks`);
        yield [keyOf(found), row] as const;
      }
    },
  };
}

/** Key of the row of a table without a key. */
const ONLY = '_';
const PRESENT = Uint8Array.of(1);

function withinText(keys: Keys, first: readonly unknown[]): string {
  return first.length === 0 ? '' : `${keys.toKey(first)}/`;
}

function maintainedIndex<V>(prefix: string, by: Keys, keys: Keys, of: TableIndex<V>['of']) {
  mustBeShort(prefix, by, keys);
  const at = (value: V, parts: readonly unknown[]): string | undefined => {
    const found = of(value);
    return found && `${prefix}${by.toKey(found)}/${keys.toKey(parts)}`;
  };
  return {
    put(state: StateWriter, value: V, parts: readonly unknown[]): void {
      const key = at(value, parts);
      if (key !== undefined) state.put(key, PRESENT);
    },
    delete(state: StateWriter, value: V, parts: readonly unknown[]): void {
      const key = at(value, parts);
      if (key !== undefined) state.delete(key);
    },
    *range(snapshot: Snapshot, first: readonly unknown[], reverse: boolean, limit: number): Iterable<unknown[]> {
      const start = prefix + withinText(by, first);
      for (const [key] of snapshot.range({ prefix: start, reverse, limit: Math.min(limit, MOST_ROWS) })) {
        yield keys.fromKey(key.slice(prefix.length).split('/').slice(by.parts).join('/'));
      }
    },
  };
}

/** A record as it is, and any other value as the one field of a message: rows may gain fields that have a default. */
function rowCodec<V>(value: Type<V>): { encode(row: V): Uint8Array; decode(stored: Uint8Array): V } {
  if (value.problem !== undefined) throw new Error(value.problem);
  if (value.presence === 'optional') throw new Error('expected rows that are always there, got an option');
  const isRecord = 'readFields' in value;
  // A record is made by `record` alone.
  const type = isRecord ? (value as unknown as RecordType<Fields>) : record({ value });
  return {
    encode: (row) => encode(type, (isRecord ? row : { value: row }) as never),
    decode(stored) {
      const found = readStored(type, stored);
      return (isRecord ? found : found.value) as V;
    },
  };
}

/** A row that does not decode was damaged: this is no refusal, which would be the outcome of a transaction. */
function readStored(type: RecordType<Fields>, stored: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return decode(type, stored);
  } catch (cause) {
    throw new Error('a stored row is not the encoding of a row', { cause });
  }
}
