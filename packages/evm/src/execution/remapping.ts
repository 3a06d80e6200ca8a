/*
 * A mapping of the database file stays in memory until every thread has closed the file. So the thread that writes asks the
 * other to close it, both wait for each other, and both open it again.
 */

/** States of the shared word. */
const WORKING = 0;
const READER_CLOSED = 1;
const BOTH_CLOSED = 2;
/** Longer than a turn of the other thread usually is: where it takes longer, the file is mapped again another time. */
const PATIENCE_MS = 1_000;

export class Remapping {
  readonly #word: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.#word = new Int32Array(shared);
  }

  /** In the thread that writes, after it has asked the other. @returns whether that has closed the file. */
  isReaderClosed(): boolean {
    Atomics.wait(this.#word, 0, WORKING, PATIENCE_MS);
    if (Atomics.load(this.#word, 0) === READER_CLOSED) return true;
    // Taken back, unless it has closed just now.
    return Atomics.compareExchange(this.#word, 0, WORKING, BOTH_CLOSED) === READER_CLOSED;
  }

  /** In the thread that writes, while it has the file closed: the other may open it. */
  release(): void {
    Atomics.store(this.#word, 0, BOTH_CLOSED);
    Atomics.notify(this.#word, 0);
  }

  /** In the thread that writes, before it asks. */
  begin(): void {
    Atomics.store(this.#word, 0, WORKING);
  }

  /** In the other thread, while it has the file closed. */
  closedHere(): void {
    if (Atomics.compareExchange(this.#word, 0, WORKING, READER_CLOSED) !== WORKING) return;
    Atomics.notify(this.#word, 0);
    Atomics.wait(this.#word, 0, READER_CLOSED, PATIENCE_MS);
  }
}
