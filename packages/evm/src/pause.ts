import { setImmediate } from 'node:timers/promises';

/** Lets others of the process have their turn when it is due; undefined while it is not. What it throws ends the work. */
export type Pause = () => Promise<void> | undefined;

/** Others wait so long, in milliseconds, for one block or one call. */
export const TURN_MS = 8;

export interface PauseOptions {
  /** Called whenever a turn is due. */
  readonly check?: () => void;
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number;
}

/** A turn for others after so many milliseconds of work. */
export function pauseEvery(ms: number, { check, clock = () => performance.now() }: PauseOptions = {}): Pause {
  let next = clock() + ms;
  const pause = async () => {
    await setImmediate();
    next = clock() + ms;
  };
  return () => {
    if (clock() < next) return undefined;
    check?.();
    return pause();
  };
}
