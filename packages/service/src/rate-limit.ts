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
    const { perSecond, burst, maxClients } = this.#bounds;
    const known = this.#buckets.get(client);
    const refilled = known === undefined ? burst : known.tokens + ((nowMs - known.at) / 1_000) * perSecond;
    const available = Math.min(burst, refilled);
    const enough = available >= Math.min(tokens, burst);
    this.#buckets.delete(client);
    this.#buckets.set(client, { tokens: enough ? available - tokens : available, at: nowMs });
    if (this.#buckets.size > maxClients) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return enough;
  }
}
