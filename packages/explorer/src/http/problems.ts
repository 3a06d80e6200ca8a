import { HttpError } from '@switchyard/service';

export function malformed(name: string, expected: string, got: string): HttpError {
  return new HttpError(400, 'malformed', `${name}: expected ${expected}, got ${JSON.stringify(got.slice(0, 100))}`);
}

export const notFound = (what: string): HttpError => new HttpError(404, 'not-found', what);
