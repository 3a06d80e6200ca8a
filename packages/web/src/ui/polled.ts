import { useEffect, useState } from 'react';

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
    let isOver = false;
    let timer: number | undefined;
    const next = async () => {
      const value = await ask().catch(() => undefined);
      if (isOver) return;
      setPolled((before) => {
        const now = { value: value ?? before.value, answered: value !== undefined };
        return now.value === before.value && now.answered === before.answered ? before : now;
      });
      const pauseMs = typeof everyMs === 'function' ? everyMs(value) : everyMs;
      if (pauseMs !== undefined) timer = window.setTimeout(() => void next(), pauseMs);
    };
    void next();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [ask, everyMs, turn]);
  return polled;
}
