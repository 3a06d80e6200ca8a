import type { Context, MiddlewareHandler } from 'hono';
import { HttpError } from '../http/http-error.ts';

/**
 * A parameter that is ignored looks as if it worked: a cursor of another API gives the first page for ever.
 *
 * @throws {HttpError} 400 for any other query parameter.
 */
export function mustBeKnown(c: Context, names: readonly string[]): void {
  if (!c.req.url.includes('?')) return;
  const unknown = Object.keys(c.req.queries()).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const field = unknown.slice(0, 100);
  const expected = names.length === 0 ? 'no query parameters' : `only ${names.join(', ')}`;
  throw new HttpError(400, 'malformed', `${JSON.stringify(field)}: unknown query parameter, expected ${expected}`, {
    field,
    expected,
  });
}

/** For a route that is in no table: which query parameters it takes. */
export function knownQuery(...names: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    mustBeKnown(c, names);
    await next();
  };
}
