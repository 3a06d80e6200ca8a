import { HttpError, toJson } from '@switchyard/service';
import type { Context } from 'hono';
import type { Row, Value } from '../store/store.ts';

const LIMIT = { standard: 25, most: 100 };

/** A page of a list, newest first. */
export interface PageRequest {
  readonly limit: number;
  /** The parts of the key of the last row of the page before; none for the first page. */
  readonly after: readonly number[];
}

/** @param parts Of how many whole numbers a cursor consists. @throws {HttpError} 400 */
export function pageRequest(c: Context, parts: number): PageRequest {
  const limitText = c.req.query('limit') ?? String(LIMIT.standard);
  const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIMIT.most) throw malformed('limit', `a whole number from 1 to ${LIMIT.most}`, limitText);
  const cursor = c.req.query('cursor');
  if (cursor === undefined) return { limit, after: [] };
  const numbers = /^\d{1,15}(-\d{1,15}){0,3}$/.test(cursor) ? cursor.split('-').map(Number) : [];
  if (numbers.length !== parts) throw malformed('cursor', 'what an answer gave as next', cursor);
  return { limit, after: numbers };
}

/** The condition for rows after a cursor, by columns that are sorted in descending order; true without a cursor. */
export function below(columns: readonly string[], { after }: PageRequest): { sql: string; params: Value[] } {
  if (after.length === 0) return { sql: '1 = 1', params: [] };
  return { sql: `(${columns.join(', ')}) < (${columns.map(() => '?').join(', ')})`, params: [...after] };
}

/** @param rows One more than `limit`, if there are more. */
export function page<T>(
  rows: readonly Row[],
  { limit }: PageRequest,
  keys: readonly string[],
  show: (row: Row) => T,
): { readonly items: T[]; readonly next: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? null : keys.map((key) => String(last[key])).join('-');
  return { items: shown.map(show), next };
}

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(toJson(value), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}

export function malformed(name: string, expected: string, got: string): HttpError {
  return new HttpError(400, 'malformed', `${name}: expected ${expected}, got ${JSON.stringify(got.slice(0, 100))}`);
}

export const notFound = (what: string): HttpError => new HttpError(404, 'not-found', what);

/** @throws {HttpError} 400 */
export function heightParameter(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw malformed(name, 'a whole number', text);
  return Number(text);
}

/** @throws {HttpError} 400 */
export function hashParameter(name: string, text: string): string {
  if (!/^(0x)?[0-9a-f]{64}$/i.test(text)) throw malformed(name, '64 hex digits', text);
  return text.toLowerCase().replace(/^0x/, '');
}

export const time = (value: Value | undefined): string | null =>
  typeof value === 'number' && value > 0 ? new Date(value).toISOString() : null;
