/**
 * A bounded number of places that are held for long: streams, subscribers, calls that wait. An address may hold as many as are left free,
 * so that alone it has half of them, and the next address finds some. No place is taken away again, and loopback is no exception.
 */
export class Places {
  readonly #held = new Map<string, number>();
  #size = 0;

  constructor(readonly max: number) {}

  get size(): number {
    return this.#size;
  }

  of(peer: string): number {
    return this.#held.get(peer) ?? 0;
  }

  /** Why this address gets none. */
  full(peer: string): string {
    return `${this.#size} of ${this.max} are open, ${this.of(peer)} of them from ${peer}, and one address gets no more than are left free`;
  }

  /** @returns a function that gives the place back and may be called again, or undefined if this address gets none. */
  take(peer: string): (() => void) | undefined {
    const own = this.of(peer);
    if (own >= this.max - this.#size) return undefined;
    this.#held.set(peer, own + 1);
    this.#size += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#size -= 1;
      const left = this.of(peer) - 1;
      if (left > 0) this.#held.set(peer, left);
      else this.#held.delete(peer);
    };
  }
}
