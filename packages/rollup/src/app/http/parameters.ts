import { HttpError, toJson } from '@switchyard/service';
import { Input, InvalidData, type Read } from '@switchyard/service/input';
import type { Context } from 'hono';

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

export async function bodyBytes(c: Context): Promise<Uint8Array> {
  return new Uint8Array(await c.req.arrayBuffer());
}
