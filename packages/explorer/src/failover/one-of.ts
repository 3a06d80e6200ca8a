import type { Endpoint, Endpoints } from '@switchyard/client';
import { errorLine, isTransportFailure } from '@switchyard/service';

/** A node of another chain than the others. */
export class Stranger extends Error {
  override readonly name = 'Stranger';
}

/**
 * The calls of several nodes as those of one: each goes to the node in use and, if that does not answer, to the node that
 * replaces it.
 *
 * @param check Once for each node before it is used. @throws {Stranger} if it is not to be used.
 */
export function oneOf<T extends object>(
  endpoints: Endpoints<T>,
  check: (endpoint: Endpoint<T>, signal: AbortSignal) => Promise<void>,
): T {
  const checked = new Set<Endpoint<T>>();
  const attempt = async (endpoint: Endpoint<T>, name: string, args: readonly unknown[]): Promise<unknown> => {
    const signal = args.find((each) => each instanceof AbortSignal) ?? new AbortController().signal;
    try {
      if (!checked.has(endpoint)) await check(endpoint, signal);
      checked.add(endpoint);
      // All have the same methods, of which this is one.
      return await (endpoint.client as Record<string, (...args: readonly unknown[]) => unknown>)[name]?.(...args);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof Stranger) endpoints.reportFault(endpoint, error.message);
      else if (isTransportFailure(error)) endpoints.reportFailure(endpoint, errorLine(error));
      throw error;
    }
  };
  const call =
    (name: string) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      for (let tries = 1; ; tries += 1) {
        const endpoint = endpoints.current;
        try {
          return await attempt(endpoint, name, args);
        } catch (error) {
          const isReplaced = endpoints.current !== endpoint && endpoints.isUsable;
          if (!isReplaced || tries === endpoints.all.length) throw error;
          if (!(error instanceof Stranger || isTransportFailure(error))) throw error;
        }
      }
    };
  const members = Object.entries(endpoints.current.client).map(([name, value]) => [
    name,
    typeof value === 'function' ? call(name) : value,
  ]);
  return Object.fromEntries(members) as T;
}
