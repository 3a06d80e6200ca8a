/** What has turns, such as a connection: whoever had fewer of them goes first within its peer. */
export interface TurnTaker {
  turnsTaken: number;
}

const takers = new WeakMap<object, TurnTaker>();

/** The one taker of a connection, however many requests come over it. */
export function takerOf(connection: object): TurnTaker {
  const known = takers.get(connection) ?? { turnsTaken: 0 };
  takers.set(connection, known);
  return known;
}

interface Waiting {
  readonly taker: TurnTaker;
  begin(): void;
}

/**
 * Gives large pieces of work the thread one at a time: one in each round of the event loop, so that small requests are
 * answered in between, and peers in turn, so that a peer with many does not keep others waiting for all of them. Within a
 * peer, which may be many clients behind one address, the connection that has had fewest turns is next.
 */
export class FairTurns {
  /** In the order in which peers have their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #soon: (round: () => void) => void;

  /** @param soon Calls `round` once when everything that is ready has run; `setImmediate`, outside of tests. */
  constructor(soon: (round: () => void) => void = (round) => void setImmediate(round)) {
    this.#soon = soon;
  }

  /**
   * Resolves when `peer` has its turn, which lasts until it waits for something.
   *
   * @param taker Who of the peer it is, where that is known; its count goes up.
   */
  take(peer: string, taker: TurnTaker = { turnsTaken: 0 }): Promise<void> {
    return new Promise((begin) => {
      const own = this.#waiting.get(peer);
      if (own !== undefined) {
        own.push({ taker, begin });
        return;
      }
      this.#waiting.set(peer, [{ taker, begin }]);
      if (this.#waiting.size === 1) this.#soon(() => this.#round());
    });
  }

  #round(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [peer, own] = next;
    const chosen = own.reduce((least, each) => (each.taker.turnsTaken < least.taker.turnsTaken ? each : least));
    chosen.taker.turnsTaken += 1;
    own.splice(own.indexOf(chosen), 1);
    this.#waiting.delete(peer);
    // Behind all others, if it has more.
    if (own.length > 0) this.#waiting.set(peer, own);
    if (this.#waiting.size > 0) this.#soon(() => this.#round());
    chosen.begin();
  }
}
