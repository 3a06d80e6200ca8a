/** Numbers that look random and follow from a seed: the same ones in every run and on every machine. */
export class Chance {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  /** @param seed Any integer; only its lower 32 bits count. @param purpose Streams with different purposes are independent. */
  constructor(seed: number, purpose = '') {
    let hash = 0x811c9dc5;
    for (const character of purpose) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    [this.#a, this.#b, this.#c] = [seed | 0, hash | 0, 0x9e3779b9 | 0];
    // The first numbers still show the seed.
    for (let index = 0; index < 15; index += 1) this.next();
  }

  /** At least 0 and below 1. The generator is Chris Doty-Humphrey's sfc32, with a counter. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Whether something of this probability happens. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws {RangeError} for an empty list. */
  pick<T>(items: readonly T[]): T {
    const index = this.integer(0, items.length - 1);
    if (index < 0 || !(index in items)) throw new RangeError('nothing to pick from');
    // Checked above.
    return items[index] as T;
  }
}
