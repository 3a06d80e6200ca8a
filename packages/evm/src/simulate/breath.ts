import { setImmediate } from 'node:timers/promises';

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
  readonly #deadline: number;
  #next: number;

  /** @param ms From now. */
  constructor(ms: number) {
    const now = performance.now();
    this.#deadline = now + ms;
    this.#next = now + BREATH_MS;
  }

  /** @throws {TimedOut} */
  take(): undefined | Promise<void> {
    const now = performance.now();
    if (now < this.#next) return undefined;
    if (now > this.#deadline) throw new TimedOut('execution timeout');
    return this.#pause();
  }

  async #pause(): Promise<void> {
    await setImmediate();
    this.#next = performance.now() + BREATH_MS;
  }
}
