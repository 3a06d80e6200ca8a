import { HttpError, toJson } from '@switchyard/service';
import { Input, InvalidData, type Read } from '@switchyard/service/input';
import type { Context } from 'hono';
import { getWords } from '../search/words.ts';

/** A JSON answer in which a bigint is a number while a number can hold it. */
export function json(value: unknown, status = 200): Response {
  return new Response(toJson(value), { status, headers: { 'content-type': 'application/json' } });
}

/** Value of a parameter of the path or the query. @throws {HttpError} 400. */
export function parameter<T>(name: string, text: string | undefined, read: Read<T>): T {
  try {
    return read(new Input(text, name));
  } catch (error) {
    throw error instanceof InvalidData ? new HttpError(400, 'malformed', error.message) : error;
  }
}

const MAX_QUERY_BYTES = 256;
const MAX_QUERY_WORDS = 16;

/** Words of the parameter `q` of a search. @throws {HttpError} 400 for no word, and for more than 16 words or 256 bytes. */
export function queryWords(q: string): readonly string[] {
  const words = getWords(q, MAX_QUERY_WORDS + 1);
  const problem =
    Buffer.byteLength(q) > MAX_QUERY_BYTES || words.size > MAX_QUERY_WORDS
      ? `at most ${MAX_QUERY_WORDS} words and ${MAX_QUERY_BYTES} bytes`
      : words.size === 0
        ? 'at least one letter or digit'
        : undefined;
  if (problem !== undefined) throw new HttpError(400, 'malformed', `q: expected ${problem}`, { field: 'q' });
  return [...words];
}

export async function bodyBytes(c: Context): Promise<Uint8Array> {
  return new Uint8Array(await c.req.arrayBuffer());
}
