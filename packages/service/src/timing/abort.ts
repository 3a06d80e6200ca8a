import { type Clock, systemClock } from './clock.ts';

/** The longest time of a timer, in milliseconds: a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Something did not happen in the time it was given. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';

  constructor(
    readonly what: string,
    readonly ms: number,
    options?: ErrorOptions,
  ) {
    super(`${what} took longer than ${ms} ms`, options);
  }
}

/** True for the error that an aborted operation ends with, which is no failure of the operation. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'));
}

/**
 * Lets any number of operations listen to a signal. Node warns of a leak at eleven listeners of one event, and a signal
 * has one for every call under way that it cancels.
 */
export function forManyListeners(signal: AbortSignal): AbortSignal {
  // Looked up and not imported: this module also runs in browsers, which do not warn.
  globalThis.process?.getBuiltinModule?.('node:events').setMaxListeners(0, signal);
  return signal;
}

/** Aborts with the first of `signals`, for any number of listeners. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  return forManyListeners(AbortSignal.any([...signals]));
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal, clock: Clock = systemClock): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    });
    function aborted(): void {
      cancel();
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** Resolves when the signal aborts, and never rejects. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * A signal that aborts with `TimedOut` after `ms`, or with the reason of `signal` if that comes first. It lets go of
 * `signal` when the time is over, and does not keep the process alive. If calls are many, `withDeadline` lets go at once.
 */
export function deadline(ms: number, signal?: AbortSignal, what = 'the operation'): AbortSignal {
  return startDeadline(ms, signal, what).signal;
}

/** Runs `work` with a signal as of `deadline`, and cleans up as soon as it settles. */
export async function withDeadline<T>(
  { ms, signal, what = 'the operation' }: { ms: number; signal?: AbortSignal | undefined; what?: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = startDeadline(ms, signal, what);
  try {
    return await work(limit.signal);
  } catch (error) {
    // Libraries wrap the reason in errors of their own; the reason itself has more detail.
    if (limit.signal.aborted) throw limit.signal.reason;
    throw error;
  } finally {
    limit.stop();
  }
}

function startDeadline(ms: number, signal: AbortSignal | undefined, what: string) {
  const controller = new AbortController();
  const late = (): void => {
    stop();
    controller.abort(new TimedOut(what, ms));
  };
  const cancel = systemClock.after(ms, late, true);
  function stop(): void {
    cancel();
    signal?.removeEventListener('abort', forward);
  }
  function forward(): void {
    stop();
    controller.abort(signal?.reason);
  }
  if (signal?.aborted === true) forward();
  else signal?.addEventListener('abort', forward, { once: true });
  return { signal: forManyListeners(controller.signal), stop };
}
