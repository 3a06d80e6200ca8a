import { type AccountId, parseAddress } from '@switchyard/protocol';
import { HttpError, toJson } from '@switchyard/service';
import type { Context } from 'hono';

/** A JSON answer in which a bigint is a number while a number can hold it. */
export function json(value: unknown, status = 200): Response {
  return new Response(toJson(value), { status, headers: { 'content-type': 'application/json' } });
}

/** @throws {HttpError} 400, unless the query parameter is absent or a whole number in the range. */
export function integerQuery(c: Context, name: string, { min, max, fallback }: Range): number {
  const text = c.req.query(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new HttpError(400, 'malformed', `${name}: expected a whole number from ${min} to ${max}, got ${quoted(text)}`);
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

/** @throws {HttpError} 400, unless the text is absent or decimal digits of a u64. */
export function u64Query(c: Context, name: string): bigint | undefined {
  const text = c.req.query(name);
  return text === undefined ? undefined : parseU64(name, text);
}

export function parseU64(name: string, text: string): bigint {
  if (/^\d{1,20}$/.test(text) && BigInt(text) < 1n << 64n) return BigInt(text);
  throw new HttpError(400, 'malformed', `${name}: expected a whole number below 2^64, got ${quoted(text)}`);
}

/** @throws {HttpError} 400, unless it is one of the words or absent. */
export function wordQuery<W extends string>(c: Context, name: string, words: readonly W[]): W | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw new HttpError(400, 'malformed', `${name}: expected ${words.join(' or ')}, got ${quoted(text)}`);
}

/** Any prefix: only the 20 bytes count. */
export function accountParameter(text: string): AccountId {
  return parseAddress(text);
}

export async function bodyBytes(c: Context): Promise<Uint8Array> {
  return new Uint8Array(await c.req.arrayBuffer());
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
