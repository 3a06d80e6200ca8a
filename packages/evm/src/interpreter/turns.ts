import type { Pause } from '../pause.ts';
import type { Execution } from './interface.ts';
import type { Outcome } from './values.ts';

export interface Turns {
  /** Lets others of the process have their turn. */
  readonly pause: Pause;
  /**
   * Makes the read possible that threw this. Where the state is all here, there is none.
   *
   * @throws What it cannot help with.
   */
  readonly fetch?: ((error: unknown) => Promise<void>) | undefined;
}

/** Runs an execution to its end. At once, without a promise, where there is nothing to wait for. */
export function runInTurns(execution: Execution, { pause, fetch }: Turns): Outcome | Promise<Outcome> {
  let waiting: Promise<void> | undefined;
  const isDue = () => {
    waiting = pause();
    return waiting !== undefined;
  };
  const run = (): Outcome | undefined => {
    try {
      return execution.run(isDue);
    } catch (error) {
      if (fetch === undefined) throw error;
      waiting = fetch(error);
      return undefined;
    }
  };
  const resume = async (): Promise<Outcome> => {
    for (;;) {
      await waiting;
      const outcome = run();
      if (outcome !== undefined) return outcome;
    }
  };
  return run() ?? resume();
}
