/** A connection that reports its end. */
interface Connection {
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Bytes of answers that clients have asked for and not read. A question of a few bytes can have an answer of megabytes,
 * so connections that only ask are bounded together: over the limit, `cutOff` is called with the one that owes most.
 */
export class UnreadAnswers<C extends Connection> {
  readonly #owed = new Map<C, number>();
  #total = 0;

  constructor(
    readonly cutOff: (connection: C) => void,
    readonly limit: number,
  ) {}

  /** @returns what to call once when they have been read, or never will be. */
  add(connection: C, bytes: number): () => void {
    if (!this.#owed.has(connection)) connection.once('close', () => this.#forget(connection));
    this.#owed.set(connection, (this.#owed.get(connection) ?? 0) + bytes);
    this.#total += bytes;
    if (this.#total > this.limit) this.#cutGreediest();
    return () => {
      const owed = this.#owed.get(connection);
      if (owed === undefined) return;
      this.#owed.set(connection, owed - bytes);
      this.#total -= bytes;
    };
  }

  /** Forgotten at once, so that its bytes cut off no other client while its connection closes. */
  #cutGreediest(): void {
    const [greediest] = [...this.#owed].reduce((most, each) => (each[1] > most[1] ? each : most));
    this.#forget(greediest);
    this.cutOff(greediest);
  }

  #forget(connection: C): void {
    this.#total -= this.#owed.get(connection) ?? 0;
    this.#owed.delete(connection);
  }
}
