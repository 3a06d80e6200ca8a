import { HttpError } from '@switchyard/service';

export function malformed(name: string, expected: string, got: string): HttpError {
  return new HttpError(400, 'malformed', `${name}: expected ${expected}, got ${JSON.stringify(got.slice(0, 100))}`);
}

/** The result of work whose failures are those of another process. @param toAnswer Maps a failure to an answer. */
export async function mapped<T>(toAnswer: (error: unknown) => unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toAnswer(error);
  }
}

export const notFound = (what: string): HttpError => new HttpError(404, 'not-found', what);
