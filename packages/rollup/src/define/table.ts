import {
  INDEX_PREFIX,
  readStored,
  type Snapshot,
  type StateReader,
  type StateWriter,
} from '@switchyard/machine/browser';
import { getPages, isCounted, storedIndexes } from '#rows';
import { isListed } from '../app/block-in-work.ts';
import { isBlock } from '../schema/since.ts';
import { inPlace, type Type } from '../schema/type.ts';
import type { AnyIndex, IndexedTable, TableIndex } from './indexes.ts';
import { type KeyOf, type KeyTypes, mustBeShort, type PartsOf, type PrefixOf, toKeys } from './keys.ts';
import { rowCodec } from './row-codec.ts';
import { type PageOf, type TableRow, withinText } from './row-pages.ts';
import { hasBegun, mustHaveBegun } from './type-by-block.ts';

/** A part of a table in the order of its keys. */
interface PlaceOf<K> {
  /** The first parts of a key of several parts. */
  readonly prefix?: Exclude<PrefixOf<K>, Readonly<K>>;
  /** Both exclusive. */
  readonly after?: K;
  readonly before?: K;
}

export interface RangeOf<K> extends PlaceOf<K> {
  readonly reverse?: boolean;
  /** At most 10,000 rows, and at most 64 MiB of the largest rows, are read in one go, regardless of the request. */
  readonly limit: number;
}

/** Rows of derived tables. */
export const DERIVED_ROWS = `${INDEX_PREFIX}rows/`;
const MOST_ROWS = 10_000;
const MOST_RANGE_BYTES = 64 * 1_048_576;
const MOST_PAGE_ROWS = 200;
const MOST_PAGE_BYTES = 4 * 1_048_576;

/** Parts of a table that its description and its reader need. */
export interface Rows<K, V> extends IndexedTable {
  readonly help: string;
  /** First block of the table, if a running chain gets it. */
  readonly from?: bigint | undefined;
  /** Whether the rows are in the state root. */
  readonly isAuthenticated: boolean;
  readonly version: number;
  readonly key: KeyTypes;
  /** One for each call of `table`, regardless of its name. */
  readonly id: symbol;
  readonly value: Type<V>;
  /** Stands for a row that is not there. */
  readonly absent: V | undefined;
  readonly indexes: Readonly<Record<string, AnyIndex<V>>>;
  /** Fields of text whose words are found. */
  readonly search: readonly string[];
  /** Rows of a page that is answered, however large each of them is. */
  readonly maxPageRows: number;
  /** Rows that are read in one go of this many. @throws {Error} for no number of rows. */
  toLimit(wanted: number): number;
  /** @throws {Error} for the state of work that may not use the table. */
  open<S extends StateReader>(state: S): S;
  /** The key of its parts, and its parts. */
  getKey(parts: readonly unknown[]): K;
  getParts(key: K): readonly unknown[];
  get(state: StateReader, key: K): unknown;
  /** The key as the store knows it, for proofs. */
  storeKey(key: K): string;
  /** The row in its bytes, as a proof shows it; undefined if there is none. */
  decode(stored: Uint8Array | undefined): V | undefined;
  /** Rows at the time of the call. To a handler it is a step, and one more for each row. */
  range(state: StateReader, options: RangeOf<K>): readonly (readonly [K, V])[];
  first(state: StateReader, place?: PlaceOf<K>): readonly [K, V] | undefined;
  last(state: StateReader, place?: PlaceOf<K>): readonly [K, V] | undefined;
  /** Rows in the order of their keys or of an index. @throws {Rejected} for text that is no cursor of such a page. */
  page(snapshot: Snapshot, item: PageOf): Iterable<TableRow<V>>;
}

/** Typed rows. `get` returns `Absent` if there is none. */
export interface Table<K, V, Absent = V | undefined, I extends IndexKeys = IndexKeys> extends Rows<K, V> {
  get(state: StateReader, key: K): V | Absent;
  has(state: StateReader, key: K): boolean;
  put(state: StateWriter, key: K, value: V): void;
  delete(state: StateWriter, key: K): void;
  /** The rows in an earlier shape, for a migration that changes it: they are read by the type before. */
  before<W>(value: Type<W>): Pick<Table<K, W>, 'get' | 'has'>;
  /** Rows in the order of an index, those whose index key begins with these parts: for queries, over committed rows. */
  by<const N extends keyof I & string>(
    snapshot: Snapshot,
    index: N,
    parts: PrefixOf<PartsOf<I[N]>>,
    options: Limits,
  ): Iterable<readonly [K, V]>;
}

/** Types of the keys of indexes by their names. */
type IndexKeys = Readonly<Record<string, KeyTypes>>;
type NoIndexes = Record<never, never>;

interface Limits {
  readonly reverse?: boolean;
  readonly limit: number;
}

/** A table of one row. */
export interface Single<V, Absent = V | undefined> extends Rows<readonly [], V> {
  get(state: StateReader): V | Absent;
  /** The row in an earlier shape, for a migration that changes it. */
  before<W>(value: Type<W>): Pick<Single<W>, 'get'>;
  put(state: StateWriter, value: V): void;
  delete(state: StateWriter): void;
  storeKey(): string;
}

// A table of any rows is only described, or given rows that came from it.
// biome-ignore lint/suspicious/noExplicitAny: the types of rows are those of the table itself
export type AnyTable = Rows<any, any>;

interface TableOptions<K, V, I extends IndexKeys = NoIndexes> {
  /** Names its rows in the store, which makes it part of the state root. */
  readonly name: string;
  readonly help?: string;
  readonly key: K;
  readonly value: Type<V>;
  /** Block from which a running chain has the table: no row of it is written before. */
  readonly from?: bigint;
  /** Keeps the rows out of the state root: actions must not read them. */
  readonly derived?: boolean;
  /** Raised when a function that `onBlock` calls has changed, for a derived table. The text of `onBlock` itself is compared. */
  readonly version?: number;
  readonly indexes?: { readonly [N in keyof I]: TableIndex<V, I[N]> };
  /** Fields of text by whose words rows are found: of each row the first 64 different ones. */
  readonly search?: readonly TextsOf<V>[];
}

type TextsOf<V> = { [F in keyof V]: V[F] extends string ? F : never }[keyof V] & string;

const TABLE_NAME = /^[a-z][a-zA-Z0-9]{0,31}$/;

/**
 * Typed rows by a key of one type or several parts. @throws {Error} naming its invalid part.
 * @example
 * ```ts
 * const votes = table({ name: 'votes', key: [address, u32], value: u64, absent: 0n });
 * votes.put(state, [account, 1], votes.get(state, [account, 1]) + 1n);
 * ```
 */
export function table<const K extends Type<unknown> | KeyTypes, V, const I extends IndexKeys = NoIndexes>(
  options: TableOptions<K, V, I> & { readonly absent: V },
): Table<KeyOf<K>, V, V, I>;
export function table<const K extends Type<unknown> | KeyTypes, V, const I extends IndexKeys = NoIndexes>(
  options: TableOptions<K, V, I>,
): Table<KeyOf<K>, V, undefined, I>;
export function table<const K extends Type<unknown> | KeyTypes, V, const I extends IndexKeys>(
  options: TableOptions<K, V, I> & { readonly absent?: V },
): Table<KeyOf<K>, V, V | undefined, I> {
  return inPlace(`table ${JSON.stringify(options.name)}`, () => build(options));
}

/** A table of one row. See the example of {@link defineRollup}. */
export function single<V>(
  options: Omit<TableOptions<readonly [], V>, 'key' | 'indexes' | 'search'> & { readonly absent: V },
): Single<V, V>;
export function single<V>(
  options: Omit<TableOptions<readonly [], V>, 'key' | 'indexes' | 'search'>,
): Single<V, undefined>;
export function single<V>(
  options: Omit<TableOptions<readonly [], V>, 'key' | 'indexes' | 'search'> & { readonly absent?: V },
): Single<V, V | undefined> {
  const rows = table({ ...options, key: [] });
  return {
    ...rows,
    get: (state) => rows.get(state, []) ?? options.absent,
    before(value) {
      const earlier = rows.before(value);
      return { get: (state) => earlier.get(state, []) };
    },
    put: (state, value) => rows.put(state, [], value),
    delete: (state) => rows.delete(state, []),
    storeKey: () => rows.storeKey([]),
  };
}

function build<K extends Type<unknown> | KeyTypes, V, I extends IndexKeys>(
  options: TableOptions<K, V, I> & { readonly absent?: V },
  id = Symbol(options.name),
): Table<KeyOf<K>, V, V | undefined, I> {
  const { name, help = '', key, value, from, derived: isDerived = false, version = 1, absent, search = [] } = options;
  const indexes: Readonly<Record<string, AnyIndex<V>>> = options.indexes ?? {};
  if (from !== undefined && !isBlock(from)) throw new Error(`from: expected a block from 1 on, got ${String(from)}`);
  if (!TABLE_NAME.test(name)) throw new Error('expected a name in lowerCamelCase of at most 32 letters and digits');
  const isSingle = !Array.isArray(key);
  // An array is the list of parts, anything else is the one part.
  const types = (isSingle ? [key] : key) as KeyTypes;
  const keys = toKeys(types);
  const prefix = isDerived ? `${DERIVED_ROWS}${name}/` : `tables/${name}/`;
  mustBeShort(prefix, keys);
  const codec = rowCodec(value);
  const storeKey = (parts: readonly unknown[]): string =>
    prefix + (types.length === 0 ? ONLY : inTable(() => keys.toKey(parts, types.length)));
  const fromStore = (found: string): readonly unknown[] =>
    types.length === 0 ? [] : readStored(() => keys.fromKey(found.slice(prefix.length)));
  const getParts = (given: KeyOf<K>): readonly unknown[] => (isSingle ? [given] : (given as readonly unknown[]));
  const getKey = (parts: readonly unknown[]): KeyOf<K> => (isSingle ? parts[0] : parts) as KeyOf<K>;
  const read = (stored: Uint8Array): V => codec.decode(stored);
  const inTable = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      // Its own stack leads to the handler.
      throw new Error(`table ${name}: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  };
  /** Nodes of one fingerprint may have other derived rows, and no handler may depend on these. */
  const open = <S extends StateReader>(state: S): S => {
    if (!isListed(id)) throw new Error(`table ${name} is not listed in the tables of the definition, which uses it`);
    if (isDerived && isCounted(state))
      throw new Error(`table ${name} is derived: onBlock writes its rows, and handlers neither read nor write them`);
    return state;
  };
  const get = (state: StateReader, parts: readonly unknown[]): V | undefined => {
    const stored = open(state).get(storeKey(parts));
    return stored === undefined ? undefined : read(stored);
  };
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_RANGE_BYTES / value.maxBytes / value.maxItems)));
  const toLimit = (limit: number): number => {
    if (Number.isSafeInteger(limit) && limit >= 0) return Math.min(limit, most);
    throw new Error(`table ${name}: limit: expected a whole number from 0 on, got ${limit}`);
  };
  const range = (state: StateReader, wanted: RangeOf<KeyOf<K>>): readonly (readonly [KeyOf<K>, V])[] => {
    const { prefix: first = [], after, before, reverse = false } = wanted;
    const limit = toLimit(wanted.limit);
    if (first.length > 0 && first.length === types.length)
      throw new Error(`table ${name}: prefix: expected fewer parts than the key has; get finds one row`);
    const found = open(state).range({
      ...{ reverse, limit, prefix: prefix + inTable(() => withinText(keys, first)) },
      ...(after !== undefined && { after: storeKey(getParts(after)) }),
      ...(before !== undefined && { before: storeKey(getParts(before)) }),
    });
    return Array.from(found, ([key, row]) => [getKey(fromStore(key)), read(row)] as const);
  };
  const stored = storedIndexes(name, { indexes, search }, { prefix, keys, value, ...codec });
  const page = getPages({ name, prefix, keys, stored, read });
  return {
    ...{ name, help, from, id, version },
    isAuthenticated: !isDerived,
    key: types,
    value,
    absent,
    indexes,
    search,
    prefix,
    stored,
    ...{ open, toLimit },
    maxPageRows: Math.max(1, Math.min(MOST_PAGE_ROWS, Math.floor(MOST_PAGE_BYTES / value.maxBytes / value.maxItems))),
    ...{ getKey, getParts },
    storeKey: (given) => storeKey(getParts(given)),
    decode: (row) => (row === undefined ? absent : read(row)),
    get: (state, given) => get(state, getParts(given)) ?? absent,
    has: (state, given) => open(state).get(storeKey(getParts(given))) !== undefined,
    before: (type) => build({ ...options, value: type, indexes: {} as NoIndexes, search: [], absent: undefined }, id),
    put(state, given, row) {
      // Hooks are given blocks before it too.
      if (isDerived && !hasBegun(from)) return;
      mustHaveBegun(`table ${name}`, from);
      open(state).put(
        storeKey(getParts(given)),
        inTable(() => codec.encode(row)),
      );
    },
    delete: (state, given) => open(state).delete(storeKey(getParts(given))),
    range,
    first: (state, place) => range(state, { ...place, limit: 1 })[0],
    last: (state, place) => range(state, { ...place, limit: 1, reverse: true })[0],
    page,
    *by(snapshot, index, first: readonly unknown[], { reverse = false, limit }) {
      for (const { key: at, value: row } of page(snapshot, {
        index,
        first,
        reverse,
        limit: Math.min(limit, MOST_ROWS),
      }))
        if (row !== undefined) yield [getKey(at), row] as const;
    },
  };
}

/** Key of the row of a table without a key. */
const ONLY = '_';
