export interface BudgetBounds {
  /** Bound for all peers together. */
  readonly maxBytes: number;
  /** Bound for one peer. */
  readonly maxBytesOfPeer: number;
}

interface Wish {
  readonly bytes: number;
  grant(): void;
}

/**
 * Memory for data of clients, reserved before it is read: whose wish does not fit waits, unread, until others have
 * released theirs. Peers have their turns in rotation, so one with many wishes does not hold up the others.
 */
export class ByteBudget {
  readonly #bounds: BudgetBounds;
  readonly #held = new Map<string, number>();
  /** In the order in which peers are looked at. */
  readonly #waiting = new Map<string, Wish[]>();
  #total = 0;

  constructor(bounds: BudgetBounds) {
    this.#bounds = bounds;
  }

  /**
   * Calls `granted` once when `bytes` are reserved, at once if they fit. A wish of one peer beyond every bound is
   * granted when that peer holds nothing else.
   *
   * @returns a function that gives them back or, before they are granted, the wish up. May be called more than once.
   */
  reserve(peer: string, bytes: number, granted: () => void): () => void {
    const wish: Wish = {
      bytes,
      grant: () => {
        state = 'held';
        this.#add(peer, bytes);
        granted();
      },
    };
    let state: 'waiting' | 'held' | 'over' = 'waiting';
    const own = this.#waiting.get(peer);
    if (own === undefined && this.#fits(peer, bytes)) wish.grant();
    else if (own === undefined) this.#waiting.set(peer, [wish]);
    else own.push(wish);
    return () => {
      if (state === 'held') this.#add(peer, -bytes);
      else if (state === 'waiting') this.#forget(peer, wish);
      state = 'over';
      this.#grantWhatFits();
    };
  }

  #add(peer: string, bytes: number): void {
    this.#total += bytes;
    const held = (this.#held.get(peer) ?? 0) + bytes;
    if (held === 0) this.#held.delete(peer);
    else this.#held.set(peer, held);
  }

  #forget(peer: string, wish: Wish): void {
    const rest = (this.#waiting.get(peer) ?? []).filter((each) => each !== wish);
    if (rest.length === 0) this.#waiting.delete(peer);
    else this.#waiting.set(peer, rest);
  }

  #fits(peer: string, bytes: number): boolean {
    const held = this.#held.get(peer) ?? 0;
    const { maxBytes, maxBytesOfPeer } = this.#bounds;
    if (held > 0 && held + bytes > maxBytesOfPeer) return false;
    return this.#total === 0 || this.#total + bytes <= maxBytes;
  }

  #grantWhatFits(): void {
    for (const [peer, wishes] of [...this.#waiting]) {
      const [wish] = wishes;
      if (wish === undefined || !this.#fits(peer, wish.bytes)) continue;
      this.#waiting.delete(peer);
      if (wishes.length > 1) this.#waiting.set(peer, wishes.slice(1));
      wish.grant();
    }
  }
}
