/**
 * Gives large pieces of work the thread one at a time: one in each round of the event loop, so that small requests are
 * answered in between, and peers in turn, so that a peer with many does not keep others waiting for all of them.
 */
export class FairTurns {
  /** In the order in which peers have their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #soon: (round: () => void) => void;

  /** @param soon Calls `round` once when everything that is ready has run; `setImmediate`, outside of tests. */
  constructor(soon: (round: () => void) => void = (round) => void setImmediate(round)) {
    this.#soon = soon;
  }

  /** Resolves when `peer` has its turn, which lasts until it waits for something. */
  take(peer: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(peer);
      if (own !== undefined) {
        own.push(resolve);
        return;
      }
      this.#waiting.set(peer, [resolve]);
      if (this.#waiting.size === 1) this.#soon(() => this.#round());
    });
  }

  #round(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [peer, own] = next;
    const resolve = own.shift();
    this.#waiting.delete(peer);
    // Behind all others, if it has more.
    if (own.length > 0) this.#waiting.set(peer, own);
    if (this.#waiting.size > 0) this.#soon(() => this.#round());
    resolve?.();
  }
}
