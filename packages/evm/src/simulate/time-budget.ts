import { oneInARound, type Pause, pauseEvery, TURN_MS } from '../pause.ts';

/** A call took longer than it may. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Bounds one execution in time: the machine comes past here every few steps, and at every precompiled contract. */
export class TimeBudget {
  /** @throws {TimedOut} */
  readonly take: Pause;

  /** @param ms From now. */
  constructor(ms: number, clock = () => performance.now()) {
    const deadline = clock() + ms;
    const check = () => {
      if (clock() > deadline) throw new TimedOut('execution timeout');
    };
    this.take = pauseEvery(TURN_MS, { check, clock, turn: oneInARound });
  }
}
