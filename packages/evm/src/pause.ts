import { setImmediate } from 'node:timers/promises';

/** Lets others of the process have their turn when it is due; undefined while it is not. What it throws ends the work. */
export type Pause = () => Promise<void> | undefined;

/**
 * A turn for others after so many milliseconds of work.
 *
 * @param check Called whenever one is due.
 */
export function pauseEvery(ms: number, check?: () => void): Pause {
  let next = performance.now() + ms;
  const pause = async () => {
    await setImmediate();
    next = performance.now() + ms;
  };
  return () => {
    if (performance.now() < next) return undefined;
    check?.();
    return pause();
  };
}
