import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { Rejected } from '@switchyard/protocol';
import { ENDS_NOW, exitCodeOf } from '../exit-code.ts';
import type { Logger } from '../log.ts';
import { refusalToStatus } from '../refusal.ts';
import { failuresOf } from '../rejections.ts';

/**
 * Translates errors for callers: a refusal becomes the status that belongs to its reason, a status stays as it is, and an error that ends
 * the process has callers come back. Anything else is logged, and is to be shown as an internal error without its message.
 */
export function statusTranslator(log: Logger) {
  return (error: unknown, path: string, signal: AbortSignal): unknown => {
    if (error instanceof Rejected) return refusalToStatus(error);
    if (exitCodeOf(error) !== undefined) return new ConnectError(ENDS_NOW, Code.Unavailable);
    // A caller that has gone gets no answer, and what the service throws then is no fault of the service.
    if (!(error instanceof ConnectError) && !signal.aborted) {
      failuresOf(log).calls.add(path, undefined, { err: error, method: path });
    }
    return error;
  };
}

/** Translates errors of calls that Connect serves, streams included. */
export function statusInterceptor(log: Logger): Interceptor {
  const translate = statusTranslator(log);
  return (next) => async (request) => {
    const path = new URL(request.url).pathname;
    try {
      const response = await next(request);
      if (!response.stream) return response;
      const message = translated(response.message, (error) => translate(error, path, request.signal));
      return { ...response, message };
    } catch (error) {
      throw translate(error, path, request.signal);
    }
  };
}

async function* translated<T>(messages: AsyncIterable<T>, translate: (error: unknown) => unknown): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw translate(error);
  }
}
