/** Capacity that a memory keeps for the next frame. */
const KEPT_BYTES = 65_536;
const FIRST_BYTES = 1_024;

/** The memory of a frame: zeros until they are written, in whole words. */
export class Memory {
  bytes: Uint8Array;
  /** In use, a multiple of 32. */
  size = 0;
  readonly #first: Uint8Array;

  /** @param first Zeros that it begins with, at most as many as it keeps. */
  constructor(first: Uint8Array = new Uint8Array(FIRST_BYTES)) {
    this.#first = first;
    this.bytes = first;
  }

  /** Offsets below this are those at which a word can be read from the bytes that it began with. */
  get reach(): number {
    return this.bytes === this.#first && this.size > 0 ? this.size - 31 : 0;
  }

  /** @param size In bytes; rounded up to words. */
  grow(size: number): void {
    const rounded = Math.ceil(size / 32) * 32;
    if (rounded <= this.size) return;
    if (rounded > this.bytes.length) {
      const before = this.bytes;
      // Copied as often as it doubles, so that growing costs no more than the bytes.
      this.bytes = new Uint8Array(Math.max(rounded, 2 * this.size));
      this.bytes.set(before.subarray(0, this.size));
      if (before === this.#first) before.fill(0, 0, this.size);
    }
    this.size = rounded;
  }

  /** Empties it for another frame. */
  clear(): void {
    if (this.bytes.length > KEPT_BYTES) this.bytes = this.#first;
    else this.bytes.fill(0, 0, this.size);
    this.size = 0;
  }

  /** Copies `length` bytes of `source` from `from` on, with zeros past its end. The memory is as large already. */
  write(to: number, source: Uint8Array, from: number, length: number): void {
    const available = from >= source.length ? 0 : Math.min(length, source.length - from);
    if (available > 0) this.bytes.set(source.subarray(from, from + available), to);
    if (available < length) this.bytes.fill(0, to + available, to + length);
  }
}
