import { useEffect, useState } from 'react';
import { repeat } from './repeat.ts';

export interface Polled<T> {
  /** Last answer. */
  readonly value: T | undefined;
  /** Whether the last question was answered. */
  readonly answered: boolean;
}

/**
 * Asks again and again, and never twice at the same time.
 *
 * @param ask Must be the same function from one rendering to the next; `undefined` asks nothing.
 * @param turn When it changes, the query is made at once.
 */
export function usePolled<T>(ask: (() => Promise<T>) | undefined, everyMs: number, turn: unknown = 0): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, answered: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is there to ask again
  useEffect(() => {
    if (ask === undefined) return;
    return repeat(async (isOver) => {
      try {
        const value = await ask();
        if (!isOver()) setPolled({ value, answered: true });
      } catch {
        if (!isOver()) setPolled(({ value }) => ({ value, answered: false }));
      }
      return everyMs;
    });
  }, [ask, everyMs, turn]);
  return polled;
}
