/** Requests are begun for about this long in one round of the event loop. */
const ROUND_MS = 2;
const MAX_IN_A_ROUND = 64;

/**
 * Begins small requests: at once while there are few, and in rotation between peers when one round of the event loop
 * brings more than it should work on. Node hands out what has arrived on all connections in one round, and until that is
 * over accepts and reads nothing else: with some milliseconds for each, a client with a few connections would be all that
 * is served.
 */
export class RequestTurns {
  /** In the order in which peers have their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #soon: (round: () => void) => void;
  readonly #now: () => number;
  /** When this round began; undefined where nothing has been begun in it. */
  #began: number | undefined;
  /** What a round can begin of those that wait: their work is mostly done after `begin` has returned. */
  #many = 1;

  /** @param soon Calls `round` once when everything that is ready has run; `setImmediate`, outside of tests. */
  constructor(
    soon: (round: () => void) => void = (round) => void setImmediate(round),
    now: () => number = () => performance.now(),
  ) {
    this.#soon = soon;
    this.#now = now;
  }

  run(peer: string, begin: () => void): void {
    const now = this.#now();
    if (this.#began === undefined) {
      this.#began = now;
      this.#soon(() => this.#round());
    }
    if (this.#waiting.size === 0 && now - this.#began < ROUND_MS) begin();
    else {
      const own = this.#waiting.get(peer);
      if (own === undefined) this.#waiting.set(peer, [begin]);
      else own.push(begin);
    }
  }

  #round(): void {
    const now = this.#now();
    const tookMs = now - (this.#began ?? now);
    this.#many = tookMs > 2 * ROUND_MS ? Math.max(1, this.#many >> 1) : Math.min(MAX_IN_A_ROUND, this.#many * 2);
    this.#began = undefined;
    if (this.#waiting.size === 0) return;
    this.#began = now;
    this.#soon(() => this.#round());
    for (let count = 0; count < this.#many && this.#now() - now < ROUND_MS; count += 1) {
      const begin = this.#next();
      if (begin === undefined) return;
      begin();
    }
  }

  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [peer, own] = first;
    const begin = own.shift();
    this.#waiting.delete(peer);
    // Behind all others, if it has more.
    if (own.length > 0) this.#waiting.set(peer, own);
    return begin;
  }
}
