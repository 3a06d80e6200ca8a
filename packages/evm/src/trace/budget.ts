/** A trace that would be longer than can be answered. */
export class TraceTooLong extends Error {
  override readonly name = 'TraceTooLong';
}

/**
 * Bounds what the traces of one request hold. A transaction pays for neither the data of a call nor for a deep stack
 * again and again, so that its trace can be many times longer than what it paid for.
 */
export class Budget {
  readonly #most: number;
  #used = 0;

  /** @param most Characters of JSON, about. */
  constructor(most = 64 * 1_048_576) {
    this.#most = most;
  }

  /** @throws {TraceTooLong} */
  take(characters: number): void {
    this.#used += characters;
    if (this.#used > this.#most)
      throw new TraceTooLong(
        `the trace is longer than ${Math.round(this.#most / 1_048_576)} MiB: trace single transactions, or leave out more`,
      );
  }
}
