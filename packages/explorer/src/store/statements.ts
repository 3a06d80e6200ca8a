import type { Statement, Value } from './store.ts';

/** SQLite takes at most 32,766 parameters and Postgres 65,535. */
const MAX_PARAMETERS = 16_000;

/**
 * Inserts rows.
 *
 * @param conflict What follows, such as `ON CONFLICT DO NOTHING`. A statement must not update one row twice.
 */
export function insert(table: string, columns: readonly string[], rows: readonly (readonly Value[])[], conflict = '') {
  const tuple = `(${columns.map(() => '?').join(', ')})`;
  return Array.from(inParts(rows, Math.floor(MAX_PARAMETERS / columns.length)), (some) => {
    const values = `${`${tuple}, `.repeat(some.length - 1)}${tuple}`;
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values} ${conflict}`.trimEnd();
    return { sql, params: some.flat() };
  });
}

/**
 * Inserts records whose members have the names of columns, in camel case. Large numbers become text, and absent values null.
 *
 * @param conflict As of {@link insert}.
 */
export function insertRecords(
  table: string,
  records: readonly Readonly<Record<string, Value | bigint | undefined>>[],
  conflict = '',
): Statement[] {
  const names = Object.keys(records[0] ?? {});
  const toValue = (value: Value | bigint | undefined) => (typeof value === 'bigint' ? String(value) : (value ?? null));
  const rows = records.map((record) => names.map((name) => toValue(record[name])));
  return insert(table, names.map(snakeCase), rows, conflict);
}

/** The name of the column of a member. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Parts of a list, of few different sizes, so that few statements are prepared. */
export function* inParts<T>(all: readonly T[], most = MAX_PARAMETERS): Generator<readonly T[]> {
  for (let at = 0, size = 0; at < all.length; at += size) {
    size = [256, 32, 8].find((each) => each <= Math.min(most, all.length - at)) ?? 1;
    yield all.slice(at, at + size);
  }
}

/** Position of an indexer. Every batch moves its cursor, so rows and cursor are never apart. */
export interface Cursor {
  readonly height: number;
  /** Hash of the block at that height; empty before the first. */
  readonly hash: string;
}

export const START: Cursor = { height: 0, hash: '' };

/** Moves a cursor, if it is at `from`. */
export function advance(name: string, from: Cursor | undefined, to: Cursor): Statement {
  if (from === undefined) {
    const sql = 'INSERT INTO cursors (name, height, hash) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING';
    return { sql, params: [name, to.height, to.hash], changes: 1 };
  }
  const sql = 'UPDATE cursors SET height = ?, hash = ? WHERE name = ? AND height = ? AND hash = ?';
  return { sql, params: [to.height, to.hash, name, from.height, from.hash], changes: 1 };
}

export function setMeta(key: string, value: string): Statement {
  const sql = 'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
  return { sql, params: [key, value] };
}

export const PREFIX_DIGITS = 16;

/** Prefix by which rows of every block are found: an index by whole hashes would be longer than the rows. */
export const hashPrefix = (column: string): string => `substr(${column}, 1, ${PREFIX_DIGITS})`;

/** Condition that two columns have the same hash, if one of them has an index by its prefix. */
export const sameHash = (one: string, other: string): string =>
  `${hashPrefix(one)} = ${hashPrefix(other)} AND ${one} = ${other}`;

/** Condition that a column has the hash of {@link hashParams}. */
export const hashIs = (column: string): string => `${hashPrefix(column)} = ? AND ${column} = ?`;
export const hashParams = (hash: string): readonly string[] => [hash.slice(0, PREFIX_DIGITS), hash];

/** Condition that a column of hex digits begins with those of {@link beginning}. */
export const beginsWith = (column: string): string => `${column} >= ? AND ${column} < ?`;
export const beginning = (digits: string): readonly [string, string] => [digits, `${digits}g`];
