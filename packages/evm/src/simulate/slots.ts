import { limitExceeded } from '../rpc/errors.ts';

/** Lets so many run at a time and so many wait; whoever comes then is refused. */
export class Slots {
  readonly #atATime: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ atATime, maxWaiting }: { readonly atATime: number; readonly maxWaiting: number }) {
    this.#atATime = atATime;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws {JsonRpcError} -32005 */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atATime) this.#running += 1;
    else {
      if (this.#waiting.length >= this.#maxWaiting)
        throw limitExceeded(
          `${this.#atATime} calls are running and ${this.#waiting.length} are waiting: try again later`,
        );
      await new Promise<void>((go) => this.#waiting.push(go));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waited takes over the place.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
