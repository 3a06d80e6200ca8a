import type { Row, Value } from '../store/store.ts';
import { malformed } from './problems.ts';

/** What the parts of a cursor are: a whole number, or hex digits of an address or of 256 bits. */
const PARTS = { number: /^\d{1,15}$/, address: /^[0-9a-f]{40}$/, word: /^[0-9a-f]{64}$/ } as const;
type Part = keyof typeof PARTS;

/** A page of a list that is ordered by some columns, and the statement that reads it. */
export interface KeyPage {
  readonly limit: number;
  /** For `WHERE`; true for the first page. */
  readonly sql: string;
  readonly params: readonly Value[];
  /** For `ORDER BY ... LIMIT`. */
  readonly order: string;
  /** For a query around some that have this page: their columns are without the names of tables. */
  readonly outerOrder: string;
  /** @param rows One more than the limit, if there are more. */
  of<T>(rows: readonly Row[], show: (row: Row) => T): { readonly items: T[]; readonly next: string | null };
}

/**
 * @param columns What the list is ordered by, each with its kind; together they are unique.
 * @throws {HttpError} 400 for a cursor that no answer gave.
 */
export function keyPage(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  columns: Readonly<Record<string, Part>>,
  direction: 'ASC' | 'DESC' = 'DESC',
): KeyPage {
  const names = Object.keys(columns);
  const after = cursor === undefined ? [] : partsOf(cursor, Object.values(columns));
  const [sign, list] = [direction === 'DESC' ? '<' : '>', names.join(', ')];
  return {
    limit,
    sql: after.length === 0 ? '1 = 1' : `(${list}) ${sign} (${names.map(() => '?').join(', ')})`,
    params: after,
    order: orderBy(names, direction, limit),
    outerOrder: orderBy(names.map(bare), direction, limit),
    of(rows, show) {
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const next = last === undefined ? null : names.map((name) => String(last[bare(name)])).join('-');
      return { items: shown.map(show), next };
    },
  };
}

/** Rows have their columns without the name of the table. */
const bare = (name: string): string => name.replace(/^.*\./, '');

const orderBy = (names: readonly string[], direction: string, limit: number): string =>
  `ORDER BY ${names.map((name) => `${name} ${direction}`).join(', ')} LIMIT ${limit + 1}`;

/** Rows that have a value in one of two columns, each of which has an index that ends with what the page is ordered by. */
export function inEither(select: string, [one, other]: readonly [string, string], value: Value, page: KeyPage) {
  const part = (column: string) =>
    `SELECT * FROM (${select} WHERE ${column} = ? AND ${page.sql} ${page.order}) AS part`;
  const params = [value, ...page.params];
  return { sql: `${part(one)} UNION ${part(other)} ${page.outerOrder}`, params: [...params, ...params] };
}

function partsOf(cursor: string, kinds: readonly Part[]): Value[] {
  const parts = cursor.split('-', 8);
  if (parts.length !== kinds.length || !kinds.every((kind, at) => PARTS[kind].test(parts[at] ?? ''))) {
    throw malformed('cursor', 'what an answer gave as next', cursor);
  }
  return parts.map((part, at) => (kinds[at] === 'number' ? Number(part) : part));
}
