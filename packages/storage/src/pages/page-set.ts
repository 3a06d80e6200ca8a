import { PageDamage } from './meta.ts';

/** Which pages of a file are in use, each for one thing only. */
export class PageSet {
  readonly #bits: Uint8Array;
  readonly #pages: number;

  /** @param lastPage Last page of the file. Its two meta pages belong to the set from the beginning. */
  constructor(lastPage: number) {
    this.#pages = lastPage + 1;
    this.#bits = new Uint8Array((lastPage >> 3) + 1);
    this.#bits[0] = 0b11;
  }

  /** @throws {PageDamage} when one of them is in use already, or is outside of the file. */
  add(first: number, count: number): void {
    if (first < 2 || count < 1 || first + count > this.#pages) {
      throw new PageDamage(`pages ${first} to ${first + count - 1} are outside of the ${this.#pages} pages`);
    }
    for (let page = first; page < first + count; page += 1) {
      const index = page >> 3;
      const bit = 1 << (page & 7);
      const byte = this.#bits[index] as number;
      if ((byte & bit) !== 0) throw new PageDamage(`page ${page} is in use twice`);
      this.#bits[index] = byte | bit;
    }
  }
}
