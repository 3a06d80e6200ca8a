import { balances, nonces } from '@switchyard/machine';
import { HttpError } from '@switchyard/service';
import type { Input } from '@switchyard/service/input';
import type { Entries } from '../app/streams/entries-part.ts';
import type { Select, Selection } from '../app/streams/rows-part.ts';
import { address, asset, u32, u128 } from '../schema/scalars.ts';
import type { Type } from '../schema/type.ts';
import type { IndexedTable } from './indexes.ts';
import { type KeyTypes, toKeys } from './keys.ts';
import { type AnyLog, isLog } from './log-search.ts';
import { orderOf } from './row-pages.ts';
import type { AnyTable } from './table.ts';

/** Parts of a table that its streams need. */
interface Followed<V> extends IndexedTable {
  readonly key: KeyTypes;
  readonly value: Pick<Type<V>, 'toJson'>;
  readonly indexes: Readonly<Record<string, { readonly key: KeyTypes }>>;
  decode(stored: Uint8Array | undefined): V | undefined;
}

/* Tables that every rollup has; one of a definition may have such a name, and is then found by it. */
const plain = { stored: [], indexes: {} };
const COMMON: readonly Followed<never>[] = [
  { ...plain, ...nonces, name: 'nonces', key: [address], value: u32 } satisfies Followed<number> as never,
  { ...plain, ...balances, name: 'balances', key: [address, asset], value: u128 } satisfies Followed<bigint> as never,
];

/** Finds tables by their names, or by their prefixes in the store. */
export function selections(tables: readonly AnyTable[]): Select {
  const all = [...tables, ...COMMON] as readonly Followed<never>[];
  const find = (given: string) => {
    const table = all.find(({ name }) => name === given) ?? all.find(({ prefix: store }) => store === `${given}/`);
    if (table !== undefined) return table;
    const known = [...new Set(all.map(({ name }) => name))].join(', ');
    throw new HttpError(
      404,
      'not-found',
      `this rollup has no table ${JSON.stringify(given.slice(0, 64))}: it has ${known}`,
    );
  };
  return {
    rows(given, index, prefix) {
      const table = find(given);
      if (!isLog(table)) return select(table, index, prefix);
      throw new HttpError(400, 'malformed', `table: ${table.name} is a log, whose stream has newest`);
    },
    entries(given) {
      const table = find(given);
      if (isLog(table)) return entriesOf(table);
      throw new HttpError(400, 'malformed', `newest: expected a log, and ${table.name} is a table`);
    },
  };
}

/** Entries that are read in one go: those of a row of the store, as a rule. */
const ENTRIES_AT_ONCE = 64;

function entriesOf({ name, value, count, get, range, maxPageRows }: AnyLog): Entries {
  const limit = Math.min(ENTRIES_AT_ONCE, maxPageRows);
  return {
    ...{ name, count },
    blockOf: (snapshot, id) => get(snapshot, id)?.block ?? 0n,
    read: (snapshot, from, getName) =>
      range(snapshot, { from, limit }).map(([id, entry]) => ({
        ...{ key: [String(id)], value: value.toJson(entry, getName) },
      })),
  };
}

/** Types of the keys of a table, or of those of an index. @throws {HttpError} for an index that the table has not. */
export function keyTypes(
  { name, key, indexes }: Pick<Followed<never>, 'name' | 'key' | 'indexes'>,
  index?: string,
): KeyTypes {
  if (index === undefined) return key;
  const types = Object.hasOwn(indexes, index) ? indexes[index]?.key : undefined;
  if (types !== undefined) return types;
  const known = Object.keys(indexes).join(', ') || 'none';
  const got = JSON.stringify(index.slice(0, 64));
  throw new HttpError(400, 'malformed', `index: expected an index; table ${name} has ${known}, got ${got}`);
}

/** The first parts of a key. @throws {InvalidData} */
export const firstParts = (types: KeyTypes, prefix: Input): readonly unknown[] =>
  prefix.list(types.length).map((part, at) => types[at]?.json(part));

function select<V>(table: Followed<V>, index: string | undefined, prefix: Input | undefined): Selection {
  const keys = toKeys(table.key);
  const types = keyTypes(table, index);
  const first = prefix === undefined ? [] : firstParts(types, prefix);
  const { start, find, entries, readRow, rowOf } = orderOf({ ...table, keys }, index, first);
  return {
    ...{ start, find, rowOf },
    within: index === undefined ? start : table.prefix,
    page: (snapshot, after, limit) =>
      Array.from(entries(snapshot, { limit, ...(after !== '' && { after }) }), ({ cursor, storeKey, row }) => ({
        ...{ storeKey, stored: row ?? readRow(snapshot, storeKey), position: cursor },
      })),
    keyJson: (storeKey, getName) =>
      keys.fromKey(storeKey.slice(table.prefix.length)).map((part, at) => table.key[at]?.toJson(part, getName)),
    // Stored rows decode.
    valueJson: (stored, getName) => table.value.toJson(table.decode(stored) as V, getName),
  };
}
