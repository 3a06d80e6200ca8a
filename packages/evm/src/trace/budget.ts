import { TakesLong } from '../simulate/time-budget.ts';

/** An answer that would be longer than is made. */
export class TraceTooLong extends Error {
  override readonly name = 'TraceTooLong';
}

const MEBIBYTE = 1_048_576;
/** Characters of JSON that the thread which answers everything else makes for one request. */
export const MOST_HERE = 131_072;

/**
 * Bounds the answer to one request by its length, which is counted before it is made. A transaction pays for neither the
 * data of a call nor for a deep stack again and again, so that its trace can be many times longer than its gas suggests.
 */
export class Budget {
  readonly #isHere: boolean;
  #used = 0;

  /** @param isHere Whether a thread can begin it again. */
  constructor(isHere = false) {
    this.#isHere = isHere;
  }

  /** Characters of JSON that were counted: no fewer than the answer has. */
  get used(): number {
    return this.#used;
  }

  /** @throws {TraceTooLong} @throws {TakesLong} */
  take(characters: number): void {
    this.#used += characters;
    if (this.#isHere && this.#used > MOST_HERE) throw new TakesLong();
    if (this.#used > 64 * MEBIBYTE)
      throw new TraceTooLong('the answer is longer than 64 MiB: trace single transactions, or leave out more');
  }
}

/** A word of 32 bytes in JSON, with the separator to the next. */
export const WORD_LENGTH = 69;
/** A log in JSON but for its data, at most: with its place, and four topics. */
export const LOG_LENGTH = 750;
