export interface RateBounds {
  /** Tokens that a client gets back each second. */
  readonly perSecond: number;
  /** Tokens that a client has when it comes. */
  readonly burst: number;
  /** Clients remembered; the ones seen least lately are forgotten first. */
  readonly maxClients: number;
}

/** A bucket of tokens for each client. */
export class RateLimit {
  readonly #bounds: RateBounds;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(bounds: RateBounds) {
    this.#bounds = bounds;
  }

  /**
   * Takes tokens, or answers false and takes none. A request for more than a whole bucket waits for a full one.
   *
   * @param nowMs Monotonic.
   */
  take(client: string, tokens: number, nowMs: number): boolean {
    const available = this.#available(client, nowMs);
    const enough = available >= Math.min(tokens, this.#bounds.burst);
    this.#set(client, enough ? available - tokens : available, nowMs);
    return enough;
  }

  /** Whether a client has any tokens, for work whose price is known only when it is done. */
  has(client: string, nowMs: number): boolean {
    return this.#available(client, nowMs) > 0;
  }

  /** Takes tokens whether or not the client has them. It owes as many as a second brings at most. */
  charge(client: string, tokens: number, nowMs: number): void {
    if (tokens === 0) return;
    this.#set(client, Math.max(-this.#bounds.perSecond, this.#available(client, nowMs) - tokens), nowMs);
  }

  #available(client: string, nowMs: number): number {
    const { perSecond, burst } = this.#bounds;
    const known = this.#buckets.get(client);
    if (known === undefined) return burst;
    return Math.min(burst, known.tokens + ((nowMs - known.at) / 1_000) * perSecond);
  }

  #set(client: string, tokens: number, at: number): void {
    this.#buckets.delete(client);
    this.#buckets.set(client, { tokens, at });
    if (this.#buckets.size <= this.#bounds.maxClients) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
