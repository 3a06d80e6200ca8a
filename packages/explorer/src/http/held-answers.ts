interface Held<T> {
  readonly state: string;
  readonly answer: Promise<T>;
  size: number;
}

/** Answers that are expensive to make, each good while its inputs stay the same. */
export class HeldAnswers<T> {
  readonly #most: number;
  readonly #sizeOf: (answer: T) => number;
  readonly #held = new Map<string, Held<T>>();
  #size = 0;

  /**
   * @param most Sum of the sizes of answers that are held; the question asked first goes first.
   * @param sizeOf Size of an answer; 1, if absent.
   */
  constructor(most: number, sizeOf: (answer: T) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  /** @param state What `make` reads, by a name of its version. */
  get(question: string, state: string, make: () => Promise<T>): Promise<T> {
    const before = this.#held.get(question);
    if (before?.state === state) return before.answer;
    const held: Held<T> = { state, answer: make(), size: 1 };
    this.#drop(question);
    this.#held.set(question, held);
    this.#size += 1;
    this.#trim();
    held.answer.then(
      (answer) => {
        if (this.#held.get(question) !== held) return;
        const size = this.#sizeOf(answer);
        this.#size += size - held.size;
        held.size = size;
        this.#trim();
      },
      () => {
        if (this.#held.get(question) === held) this.#drop(question);
      },
    );
    return held.answer;
  }

  clear(): void {
    this.#held.clear();
    this.#size = 0;
  }

  #drop(question: string): void {
    this.#size -= this.#held.get(question)?.size ?? 0;
    this.#held.delete(question);
  }

  #trim(): void {
    for (const question of this.#held.keys()) if (this.#size > this.#most) this.#drop(question);
  }
}
