/** Resumes one waiting task in each round of the event loop, in order of arrival. */
export class Rounds {
  readonly #waiting: (() => void)[] = [];
  readonly #nextRound: (go: () => void) => void;

  constructor(nextRound: (go: () => void) => void = setImmediate) {
    this.#nextRound = nextRound;
  }

  next(): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push(go);
      if (this.#waiting.length === 1) this.#nextRound(() => this.#round());
    });
  }

  #round(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#nextRound(() => this.#round());
  }
}
