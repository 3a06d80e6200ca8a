import { type Pause, pauseEvery } from '../pause.ts';

/** A call took longer than it may. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** How long other work of the process waits for one call. */
const BREATH_MS = 8;

/**
 * Bounds one execution in time. Code can only run on by jumping or by calling, and both come past here: each pass looks
 * at the clock, and now and then lets others have their turn.
 */
export class Breath {
  /** @throws {TimedOut} */
  readonly take: Pause;

  /** @param ms From now. */
  constructor(ms: number) {
    const deadline = performance.now() + ms;
    this.take = pauseEvery(BREATH_MS, () => {
      if (performance.now() > deadline) throw new TimedOut('execution timeout');
    });
  }
}
