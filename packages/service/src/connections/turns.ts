/**
 * The queue of a listener's long work: one piece of it is begun in each round of the event loop, in the order in which it was asked for, so
 * that small requests are answered in between. A request waits for at most one turn at a time, so the bounds on connections, on requests
 * at work and on bytes of bodies bound the queue too.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #soon: (round: () => void) => void;

  /** @param soon Calls `round` once when everything that is ready has run; `setImmediate`, outside of tests. */
  constructor(soon: (round: () => void) => void = (round) => void setImmediate(round)) {
    this.#soon = soon;
  }

  /** Resolves with the beginning of a turn, which lasts until its taker waits for something. */
  take(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(begin);
      if (this.#waiting.length === 1) this.#soon(() => this.#round());
    });
  }

  #round(): void {
    const begin = this.#waiting.shift();
    if (this.#waiting.length > 0) this.#soon(() => this.#round());
    begin?.();
  }
}
