import { systemClock, turn as turnOfProcess } from '@switchyard/service';

/** Lets others of the process have their turn when it is due; undefined while it is not. What it throws ends the work. */
export type Pause = () => Promise<void> | undefined;

/**
 * Resolves when work that may wait, such as a call, may continue: its client's turn (`Requester.turn`). What must not wait
 * long, as blocks, waits for one round of the event loop only: the default of `pauseEvery`.
 */
export type Turn = () => Promise<void>;

/** One round of the event loop. */
export const nextTurn: Turn = turnOfProcess;

/** Others wait so long, in milliseconds, for a block, and for one of the calls. */
export const TURN_MS = 3;

export interface PauseOptions {
  /** Called whenever a turn is due. */
  readonly check?: () => void;
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number;
  /** Resolves when the work may continue. */
  readonly turn?: Turn;
}

/** A turn for others after so many milliseconds of work. */
export function pauseEvery(ms: number, { check, clock = systemClock.now, turn = nextTurn }: PauseOptions = {}): Pause {
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
