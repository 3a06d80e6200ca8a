/** Answers that are expensive to make, each good while its inputs stay the same. */
export class HeldAnswers<T> {
  readonly #most: number;
  readonly #held = new Map<string, { readonly state: string; readonly answer: Promise<T> }>();

  /** @param most Questions whose answers are held; the question asked first goes first. */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param state What `make` reads, by a name of its version. */
  get(question: string, state: string, make: () => Promise<T>): Promise<T> {
    const held = this.#held.get(question);
    if (held?.state === state) return held.answer;
    const answer = make();
    this.#held.delete(question);
    this.#held.set(question, { state, answer });
    answer.catch(() => {
      if (this.#held.get(question)?.answer === answer) this.#held.delete(question);
    });
    const [first] = this.#held.keys();
    if (this.#held.size > this.#most && first !== undefined) this.#held.delete(first);
    return answer;
  }

  clear(): void {
    this.#held.clear();
  }
}
