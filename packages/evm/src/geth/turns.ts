/** Lets so many work at a time and so many wait, in their order. */
export class Turns {
  readonly #atATime: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  constructor({ atATime, maxWaiting }: { readonly atATime: number; readonly maxWaiting: number }) {
    this.#atATime = atATime;
    this.#maxWaiting = maxWaiting;
  }

  /** Undefined where there is no room to wait either; `work` is then not called. */
  async take<T>(work: () => Promise<T>): Promise<{ readonly result: T } | undefined> {
    if (this.#working >= this.#atATime) {
      if (this.#waiting.length >= this.#maxWaiting) return undefined;
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    } else this.#working += 1;
    try {
      return { result: await work() };
    } finally {
      const next = this.#waiting.shift();
      // The place goes from hand to hand.
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }
}
