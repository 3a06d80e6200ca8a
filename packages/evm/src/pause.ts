import { setImmediate } from 'node:timers/promises';
import { Rounds } from './rounds.ts';

/** Lets others of the process have their turn when it is due; undefined while it is not. What it throws ends the work. */
export type Pause = () => Promise<void> | undefined;

/** Others wait so long, in milliseconds, for a block, and for one of the calls. */
export const TURN_MS = 3;

export interface PauseOptions {
  /** Called whenever a turn is due. */
  readonly check?: () => void;
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number;
  /** Resolves when the work may continue. */
  readonly turn?: () => Promise<void>;
}

const rounds = new Rounds();

/**
 * For work that may wait, such as calls: of all that ask, one continues in each round of the event loop, in the order in which
 * they ask. So whoever asks for something short waits for one piece of the long work, however much of it there is. What
 * must not wait long, as blocks, waits for one round only: the default of `pauseEvery`.
 */
export const oneInARound = (): Promise<void> => rounds.next();

/** A turn for others after so many milliseconds of work. */
export function pauseEvery(
  ms: number,
  { check, clock = () => performance.now(), turn = () => setImmediate() }: PauseOptions = {},
): Pause {
  let next = clock() + ms;
  const pause = async () => {
    await turn();
    next = clock() + ms;
  };
  return () => {
    if (clock() < next) return undefined;
    check?.();
    return pause();
  };
}
