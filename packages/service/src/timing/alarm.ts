import type { Clock } from './clock.ts';

/** Lets one loop sleep until there is something to do. A ring is remembered until the next wait. */
export class Alarm {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves after `ms`, at a ring, or when the signal aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        this.#wake = undefined;
        this.#rung = false;
        resolve();
      };
      const cancel = this.#clock.after(ms, done);
      this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
      if (this.#rung || signal.aborted) done();
    });
  }
}
