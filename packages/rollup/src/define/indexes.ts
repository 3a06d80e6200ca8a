import type { Overlay, StateWriter } from '@switchyard/machine/browser';
import { sha256Hex } from '@switchyard/protocol';
import type { Fields, RecordType } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { type Keys, type KeyTypes, mustBeShort, type PartsOf, toKeys } from './keys.ts';
import { type Entries, SEARCH, toSearch } from './search.ts';

/*
 * Indexes follow from rows and are no rule of the chain: two nodes of one fingerprint may have different ones. So handlers neither
 * read them nor pay for them. They are written with the block, from the rows that it changed.
 */

/** A secondary index: rows of the table in the order of another key. It is no part of the state root. */
export interface TableIndex<V, K extends KeyTypes> {
  readonly key: K;
  /** Parts of the key of a row; undefined leaves the row out. It depends on the row alone. */
  of(value: V): PartsOf<K> | undefined;
  /**
   * To be raised with a change of a function that `of` calls. The key types, the text of `of` and this are compared with the ones by which
   * the index was built, and it is rebuilt if they differ.
   */
  readonly version?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the parts are those of its own key
export type AnyIndex<V> = TableIndex<V, any>;

/** An index over rows in stored form. */
export interface StoredIndex {
  readonly name: string;
  readonly prefix: string;
  /** Key types, function and version. */
  readonly identity: string;
  /**
   * Keys of a row in the index, if it is there.
   *
   * @param report Is called with a row that the index cannot have: a bug of its function, and no reason to end a chain.
   */
  entriesOf(storeKey: string, stored: Uint8Array | undefined, report: (problem: string) => void): readonly string[];
  /** Parts of its own, which stand before the key of a row. */
  readonly keys: Keys;
}

/** Parts of a table that the upkeep of its indexes needs. */
export interface IndexedTable {
  readonly name: string;
  /** Keys of its rows in the store begin so. */
  readonly prefix: string;
  /** Its indexes, over rows in stored form. */
  readonly stored: readonly StoredIndex[];
}

/** Prefix, keys, type and codec of the rows of a table. */
interface IndexedRows<V> {
  readonly prefix: string;
  readonly keys: Keys;
  readonly value: Type<V>;
  encode(row: V): Uint8Array;
  decode(stored: Uint8Array): V;
}

/** The indexes of a table. @throws {Error} for an impossible one. */
export function storedIndexes<V>(
  table: string,
  { indexes, search }: { readonly indexes: Readonly<Record<string, AnyIndex<V>>>; readonly search: readonly string[] },
  rows: IndexedRows<V>,
): readonly StoredIndex[] {
  const entries = new Map(Object.entries(indexes).map(([name, index]) => [name, entriesOf(index)]));
  // Streams know the entries of a search by this name.
  if (entries.has(SEARCH)) throw new Error('search: an index has this name: choose another name');
  if (search.length > 0) entries.set(SEARCH, toSearch(rows.value, search));
  const stored = [...entries].map(([name, each]) => storedIndex(table, name, each, rows));
  mustTakeDefaults(rows.value, stored, rows.encode);
  return stored;
}

/** An index with at most one entry of a row. */
function entriesOf<V>({ key, of: item, version = 1 }: AnyIndex<V>): Entries<V> {
  const entries = (row: V) => {
    const found = item(row) as readonly unknown[] | undefined;
    return found === undefined ? [] : [found];
  };
  return { key: key as KeyTypes, facts: [String(item), version], of: entries };
}

function storedIndex<V>(
  table: string,
  name: string,
  { key, facts, of: item }: Entries<V>,
  rows: IndexedRows<V>,
): StoredIndex {
  const prefix = `${INDEXES}${table}/${name}/`;
  const by = toKeys(key);
  mustBeShort(prefix, by, rows.keys);
  return {
    name,
    prefix,
    keys: by,
    identity: sha256Hex(
      new TextEncoder().encode(JSON.stringify([key.map(({ description }) => description), ...facts])),
    ),
    entriesOf(storeKey, stored, report) {
      if (stored === undefined) return [];
      const row = rows.decode(stored);
      try {
        return item(row).map((found) => `${prefix}${by.toKey(found, by.parts)}/${storeKey.slice(rows.prefix.length)}`);
      } catch (error) {
        const { message } = error instanceof Error ? error : new Error(String(error));
        report(`table ${table}: index ${name} leaves out row ${storeKey}: ${message}`);
        return [];
      }
    },
  };
}

/**
 * @param encode Encodes a row.
 * @throws {Error} if an index cannot have a row of nothing but defaults and zeros, which handlers may write like any other.
 */
function mustTakeDefaults<V>(value: Type<V>, indexes: readonly StoredIndex[], encode: (row: V) => Uint8Array): void {
  const row = indexes.length === 0 ? undefined : getDefault(value);
  if (row === undefined) return;
  for (const index of indexes) {
    // The row was made by its type.
    index.entriesOf('of defaults', encode(row as V), (problem) => {
      throw new Error(problem);
    });
  }
}

/** A value of defaults and zeros; undefined for a type that has none. */
function getDefault(type: Type<unknown>): unknown {
  const absent = type.absent();
  if (absent !== undefined || type.presence === 'optional') return absent;
  const { description } = type;
  if ('fields' in type) {
    const fields = (type as RecordType<Fields>).fields.map(({ name, type: item }) => ({
      name,
      of: item,
      found: getDefault(item),
    }));
    if (fields.some(({ of: item, found }) => found === undefined && item.presence !== 'optional')) return undefined;
    return Object.fromEntries(fields.map(({ name, found }) => [name, found]));
  }
  const bytes = { address: 20, asset: 32 }[description.type];
  if (bytes !== undefined) return '00'.repeat(bytes);
  return description.type === 'bytes' ? new Uint8Array(Number(description.length)) : undefined;
}

const INDEXES = 'index/by/';
/** Value of the rows of indexes. */
export const PRESENT = Uint8Array.of(1);

/** Brings indexes to the rows that an overlay changed. */
export function writeIndexes(
  tables: readonly IndexedTable[],
  changed: Overlay,
  rows: StateWriter,
  report: (problem: string) => void,
): void {
  const indexed = tables.filter(({ stored }) => stored.length > 0);
  if (indexed.length === 0) return;
  for (const key of [...changed.keys()]) {
    const table = indexed.find(({ prefix }) => key.startsWith(prefix));
    if (table === undefined) continue;
    const [before, after] = [changed.base.get(key), changed.get(key)];
    for (const index of table.stored) {
      // A row that it could not have was reported when it was written.
      const old = new Set(index.entriesOf(key, before, () => undefined));
      const now = new Set(index.entriesOf(key, after, report));
      for (const entry of old) if (!now.has(entry)) rows.delete(entry);
      for (const entry of now) if (!old.has(entry)) rows.put(entry, PRESENT);
    }
  }
}
