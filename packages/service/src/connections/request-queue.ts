import type { Turns } from './turns.ts';

export interface RequestQueueOptions<T> {
  /** Shared by all connections of a listener. */
  readonly turns: Turns;
  /** Requests of this connection that may be unanswered at a time. */
  readonly maxAtWork: number;
  /** Requests that may wait behind them. */
  readonly maxWaiting: number;
  /** Stops reading from the connection; `resume` continues. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** The client sent more than may wait. */
  readonly overflow: () => void;
  /** Never rejects. */
  readonly answer: (request: T) => Promise<unknown>;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Requests of one connection are begun for this long before other connections have their turn. */
const TURN_MS = 2;

/**
 * Requests that arrive on one connection, begun in their order and in turns with all other connections.
 *
 * A connection cannot simply be paused while it has enough to do: one piece read from it may hold hundreds of
 * messages, and a WebSocket library hands out all of them in the same round of the event loop. With a hundred such
 * connections that round takes seconds.
 */
export class RequestQueue<T> {
  readonly #options: RequestQueueOptions<T>;
  readonly #waiting: T[] = [];
  #atWork = 0;
  #isWaitingForTurn = false;
  #isPaused = false;
  #isClosed = false;

  constructor(options: RequestQueueOptions<T>) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#atWork > 0 || this.#waiting.length > 0;
  }

  add(request: T): void {
    if (this.#isClosed) return;
    const { maxAtWork, maxWaiting, pause, overflow } = this.#options;
    this.#waiting.push(request);
    if (this.#waiting.length > maxWaiting) {
      this.close();
      overflow();
      return;
    }
    if (!this.#isPaused && this.#waiting.length + this.#atWork > maxAtWork) {
      this.#isPaused = true;
      pause();
    }
    this.#proceed();
  }

  /** The connection is gone: waiting messages are forgotten. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
  }

  #proceed(): void {
    const { turns, maxAtWork, resume } = this.#options;
    if (this.#isWaitingForTurn || this.#atWork >= maxAtWork) return;
    if (this.#waiting.length > 0) {
      this.#isWaitingForTurn = true;
      void turns.take().then(() => this.#turn());
    } else if (this.#isPaused && !this.#isClosed) {
      this.#isPaused = false;
      resume();
    }
  }

  #turn(): void {
    const { maxAtWork, answer, now = () => performance.now() } = this.#options;
    this.#isWaitingForTurn = false;
    const end = now() + TURN_MS;
    while (this.#atWork < maxAtWork && now() < end) {
      const request = this.#waiting.shift();
      if (request === undefined) break;
      this.#atWork += 1;
      void answer(request).finally(() => {
        this.#atWork -= 1;
        this.#proceed();
      });
    }
    this.#proceed();
  }
}
