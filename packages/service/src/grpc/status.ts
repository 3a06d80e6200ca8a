import { ConnectError, type Interceptor } from '@connectrpc/connect';
import { Rejected } from '@switchyard/protocol';
import type { Logger } from '../log.ts';
import { refusalToStatus } from '../refusal.ts';

/**
 * Translates what a service throws: a refusal becomes the status that belongs to its reason, a status stays as it is,
 * anything else is logged and shown as an internal error without its message.
 */
export function statusInterceptor(log: Logger): Interceptor {
  const translate = (error: unknown, url: string, signal: AbortSignal): unknown => {
    if (error instanceof Rejected) return refusalToStatus(error);
    // A caller who has gone is told nothing, and what the service then throws says nothing about the service.
    if (!(error instanceof ConnectError) && !signal.aborted)
      log.error({ err: error, method: new URL(url).pathname }, 'a call failed');
    return error;
  };
  return (next) => async (request) => {
    try {
      const response = await next(request);
      if (!response.stream) return response;
      const message = translated(response.message, (error) => translate(error, request.url, request.signal));
      return { ...response, message };
    } catch (error) {
      throw translate(error, request.url, request.signal);
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
