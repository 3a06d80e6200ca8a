import { systemClock } from '@switchyard/service';
import { type Pause, pauseEvery, TURN_MS, type Turn } from '../pause.ts';

/** A call took longer than it may. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export interface BudgetOptions {
  /** Turns of the client that asks. */
  readonly turn?: Turn | undefined;
  readonly clock?: () => number;
}

/** Bounds one execution in time: the machine comes past here every few steps, and at every precompiled contract. */
export class TimeBudget {
  /** @throws {TimedOut} */
  readonly take: Pause;

  /** @param ms From now. */
  constructor(ms: number, { turn, clock = systemClock.now }: BudgetOptions = {}) {
    const deadline = clock() + ms;
    const check = () => {
      if (clock() > deadline) throw new TimedOut('execution timeout');
    };
    this.take = pauseEvery(TURN_MS, { check, clock, ...(turn !== undefined && { turn }) });
  }
}
