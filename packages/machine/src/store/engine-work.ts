let isWorking = false;

/**
 * Whether the engine of a store is at work. It sets timers and reads clocks of its own, also while a block is executed, when
 * nothing else may.
 */
export const isEngineAtWork = (): boolean => isWorking;

/** For code that was ended from outside, in the engine maybe: no `finally` of it has run. */
export function engineRests(): void {
  isWorking = false;
}

/** Runs a synchronous call of the engine. */
export function engineWork<T>(call: () => T): T {
  const outer = isWorking;
  isWorking = true;
  try {
    return call();
  } finally {
    isWorking = outer;
  }
}
