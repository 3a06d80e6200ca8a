import { useEffect, useState } from 'react';

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
 * @param turn When it changes, the question is asked at once.
 */
export function usePolled<T>(ask: (() => Promise<T>) | undefined, everyMs: number, turn: unknown = 0): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, answered: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is there to ask again
  useEffect(() => {
    if (ask === undefined) return;
    let timer: number | undefined;
    let isOver = false;
    const next = async () => {
      try {
        const value = await ask();
        if (!isOver) setPolled({ value, answered: true });
      } catch {
        if (!isOver) setPolled(({ value }) => ({ value, answered: false }));
      }
      if (!isOver) timer = window.setTimeout(() => void next(), everyMs);
    };
    void next();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [ask, everyMs, turn]);
  return polled;
}
