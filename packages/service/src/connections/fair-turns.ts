import type { LoopShares } from './loop-shares.ts';

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
  readonly #shares: LoopShares | undefined;

  /**
   * @param soon Calls `round` once when everything that is ready has run; `setImmediate`, outside of tests.
   * @param shares Charged with each turn. A peer that has used more than its share waits before it waits for its turn.
   */
  constructor(soon: (round: () => void) => void = (round) => void setImmediate(round), shares?: LoopShares) {
    this.#soon = soon;
    this.#shares = shares;
  }

  /**
   * Resolves when `peer` has its turn, which lasts until it waits for something.
   *
   * @param taker Who of the peer it is, where that is known; its count goes up.
   */
  take(peer: string, taker: TurnTaker = { turnsTaken: 0 }): Promise<void> {
    return new Promise((begin) => {
      const enter = (): void => this.#enter(peer, { taker, begin });
      if (this.#shares === undefined) enter();
      else this.#shares.whenFree(peer, enter);
    });
  }

  #enter(peer: string, waiting: Waiting): void {
    const own = this.#waiting.get(peer);
    if (own !== undefined) {
      own.push(waiting);
      return;
    }
    this.#waiting.set(peer, [waiting]);
    if (this.#waiting.size === 1) this.#soon(() => this.#round());
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
    this.#shares?.turnOf(peer);
    chosen.begin();
  }
}
