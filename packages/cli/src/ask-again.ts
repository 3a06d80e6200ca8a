import { isTransportFailure, neverConnected, retry } from '@switchyard/service/browser';

const TRIES = 3;
const never = new AbortController().signal;

/**
 * Asks a node again if its answer was lost on the way. Only for questions, which change nothing. If there is
 * no listener, it fails at once.
 */
export function askAgain<T>(question: () => Promise<T>): Promise<T> {
  return retry(question, {
    signal: never,
    attempts: TRIES,
    initialMs: 100,
    retryIf: (error) => isTransportFailure(error) && !neverConnected(error),
  });
}
