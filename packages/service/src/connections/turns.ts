import { defer } from '../timing/clock.ts';

/**
 * The queue of a listener's long work: one piece of it is begun in each round of the event loop, in the order of the requests, so
 * that small requests are answered in between. A request waits for at most one turn at a time, so the bounds on connections, on requests
 * at work and on bytes of bodies bound the queue too.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #later: (round: () => void) => void;

  /** @param later Calls `round` once when everything that is ready has run. */
  constructor(later: (round: () => void) => void = defer) {
    this.#later = later;
  }

  /** Resolves with the beginning of a turn, which lasts until its taker waits for something. */
  take(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(begin);
      if (this.#waiting.length === 1) this.#later(() => this.#round());
    });
  }

  #round(): void {
    const begin = this.#waiting.shift();
    if (this.#waiting.length > 0) this.#later(() => this.#round());
    begin?.();
  }
}
