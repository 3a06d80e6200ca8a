import { sleep } from './abort.ts';
import { type Clock, systemClock, systemRandom } from './clock.ts';

export interface Backoff {
  /** Pause after the first failure; it doubles with each further one. */
  readonly initialMs?: number;
  readonly maxMs?: number;
}

export interface RetryOptions extends Backoff {
  readonly signal: AbortSignal;
  /** Whether to try again after this error; always, if absent. Only pass errors after which repeating is safe. */
  readonly retryIf?: (error: unknown) => boolean;
  /** Called before each pause. */
  readonly onRetry?: (error: unknown, attempt: number, pauseMs: number) => void;
  /** Total number of tries; without end, if absent. */
  readonly attempts?: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number;
  readonly clock?: Clock;
}

/** Calls `work` until it succeeds. Rejects with its last error, or with the reason of `signal` when that aborts. */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, retryIf = () => true, onRetry, attempts = Number.POSITIVE_INFINITY } = options;
  const { random = systemRandom, clock = systemClock } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (attempt >= attempts || !retryIf(error)) throw error;
      const pauseMs = backoffMs(attempt, options, random);
      onRetry?.(error, attempt, pauseMs);
      await sleep(pauseMs, signal, clock);
    }
  }
}

/** The pause after failure number `attempt` (from 1): half of it certain, half by chance, so that clients spread out. */
export function backoffMs(attempt: number, { initialMs = 100, maxMs = 10_000 }: Backoff, random: () => number): number {
  const full = Math.min(maxMs, initialMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + (full / 2) * random());
}
