import type { Clock } from '@switchyard/service';

/** An answer that is expensive to make: made once for all who ask at the same time, and again when it is no longer fresh. */
export class Remembered<T> {
  readonly #make: () => Promise<T>;
  readonly #options: { readonly clock: Clock; readonly freshMs: number };
  #answer: Promise<T> | undefined;
  #madeAt = 0;

  constructor(make: () => Promise<T>, options: { readonly clock: Clock; readonly freshMs: number }) {
    this.#make = make;
    this.#options = options;
  }

  get(): Promise<T> {
    const { clock, freshMs } = this.#options;
    if (this.#answer !== undefined && clock.now() - this.#madeAt < freshMs) return this.#answer;
    const answer = this.#make();
    this.#answer = answer;
    this.#madeAt = clock.now();
    answer.catch(() => {
      if (this.#answer === answer) this.#answer = undefined;
    });
    return answer;
  }
}
