/** The answers to a batch, each of which comes once and in any order: one promise for all, where a batch has thousands. */
export class Answers<T> {
  readonly #answers: T[];
  #open: number;
  #resolve: (answers: readonly T[]) => void = () => undefined;
  /** In the order of the batch, when the last one has come. */
  readonly all = new Promise<readonly T[]>((resolve) => {
    this.#resolve = resolve;
  });

  constructor(count: number) {
    this.#answers = new Array<T>(count);
    this.#open = count;
    if (count === 0) this.#resolve(this.#answers);
  }

  set(index: number, answer: T): void {
    this.#answers[index] = answer;
    this.#open -= 1;
    if (this.#open === 0) this.#resolve(this.#answers);
  }
}
