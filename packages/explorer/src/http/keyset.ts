import type { Row, Value } from '../store/store.ts';
import { malformed } from './problems.ts';

/** Forms of the parts of a cursor: a whole number, or hex digits of an address or of 256 bits. */
const PARTS = { number: /^\d{1,15}$/, address: /^[0-9a-f]{40}$/, word: /^[0-9a-f]{64}$/ } as const;
export type KeyPart = keyof typeof PARTS;

/** A page of a list that is ordered by some columns, and the statement that reads it. */
export interface KeyPage {
  /** The columns, for `SELECT`. */
  readonly keys: string;
  /** For `WHERE`; true for the first page. */
  readonly sql: string;
  readonly params: readonly Value[];
  /** For `ORDER BY ... LIMIT`. */
  readonly order: string;
  /** For a query around some that have this page. */
  readonly outerOrder: string;
  /** @param rows One more than the limit, if there are more. */
  of(rows: readonly Row[]): { readonly rows: readonly Row[]; readonly next: string | null };
}

/**
 * @param columns Columns that the list is ordered by, each with its kind; together they are unique.
 * @throws {HttpError} 400 for a cursor that no answer gave.
 */
export function keyPage(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  columns: Readonly<Record<string, KeyPart>>,
  direction: 'ASC' | 'DESC',
): KeyPage {
  const names = Object.keys(columns);
  const keys = names.map((_, at) => `key${at}`);
  const after = cursor === undefined ? [] : getParts(cursor, Object.values(columns));
  const orderBy = (by: readonly string[]) =>
    `ORDER BY ${by.map((name) => `${name} ${direction}`).join(', ')} LIMIT ${limit + 1}`;
  return {
    keys: names.map((name, at) => `${name} AS ${keys[at]}`).join(', '),
    sql:
      after.length === 0
        ? '1 = 1'
        : `(${names.join(', ')}) ${direction === 'DESC' ? '<' : '>'} (${names.map(() => '?').join(', ')})`,
    params: after,
    order: orderBy(names),
    outerOrder: orderBy(keys),
    of(rows) {
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      const next = last === undefined ? null : keys.map((key) => String(last[key])).join('-');
      return { rows: rows.slice(0, limit), next };
    },
  };
}

function getParts(cursor: string, kinds: readonly KeyPart[]): Value[] {
  const parts = cursor.split('-', 8);
  if (parts.length !== kinds.length || !kinds.every((kind, at) => PARTS[kind].test(parts[at] ?? ''))) {
    throw malformed('cursor', 'what an answer gave as next', cursor);
  }
  return parts.map((part, at) => (kinds[at] === 'number' ? Number(part) : part));
}
