import { useEffect, useState } from 'react';
import { repeat } from './repeat.ts';

export interface Polled<T> {
  /** Last answer. */
  readonly value: T | undefined;
  /** Whether the last question was answered. */
  readonly answered: boolean;
}

/**
 * Asks again and again, and never twice at the same time. An answer that is the same object as before renders nothing.
 *
 * @param ask Must be the same function from one rendering to the next; `undefined` asks nothing.
 * @param everyMs The pause after each answer, which may depend on it; without one it asks once.
 * @param turn When it changes, the query is made at once.
 */
export function usePolled<T extends object>(
  ask: (() => Promise<T>) | undefined,
  everyMs?: number | ((value: T | undefined) => number | undefined),
  turn: unknown = 0,
): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, answered: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is there to ask again
  useEffect(() => {
    if (ask === undefined) return;
    return repeat(async (isOver) => {
      const value = await ask().catch(() => undefined);
      if (!isOver())
        setPolled((before) => {
          const next = { value: value ?? before.value, answered: value !== undefined };
          return next.value === before.value && next.answered === before.answered ? before : next;
        });
      return typeof everyMs === 'function' ? everyMs(value) : everyMs;
    });
  }, [ask, everyMs, turn]);
  return polled;
}
