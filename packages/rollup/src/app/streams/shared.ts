const MOST_ENTRIES = 4_096;
const MOST_SIZE = 32 * 1_048_576;

/** Results of reads for many clients: for readers at equal places they are made once, until the next commit. */
export class Shared<C, T> {
  readonly #made = new Map<string, T>();
  #size = 0;

  constructor(
    readonly getKey: (place: C) => string,
    readonly read: (place: C) => T,
    readonly getSize: (made: T) => number,
  ) {}

  clear(): void {
    this.#made.clear();
    this.#size = 0;
  }

  at(place: C): T {
    const key = this.getKey(place);
    const known = this.#made.get(key);
    if (known !== undefined || this.#made.has(key)) return known as T;
    const made = this.read(place);
    const size = this.getSize(made) + key.length;
    if (this.#made.size >= MOST_ENTRIES || this.#size + size > MOST_SIZE) return made;
    this.#made.set(key, made);
    this.#size += size;
    return made;
  }
}
