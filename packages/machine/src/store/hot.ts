import { type Changes, DELETED } from './overlay.ts';

/** Some hundred bytes each with their keys. */
const MOST = 8_192;
/** Longer values are rows of lists and blocks, which nobody reads again and again. */
const LONGEST = 256;

/**
 * Values that were read lately: the nonces and balances of accounts that are active, and what every transaction looks up.
 *
 * When there are too many, all are forgotten: those that matter are back at once.
 */
export class HotValues {
  readonly #values = new Map<string, Uint8Array | undefined>();

  get(key: string, read: () => Uint8Array | undefined): Uint8Array | undefined {
    const known = this.#values.get(key);
    if (known !== undefined || this.#values.has(key)) return known;
    const value = read();
    if (value !== undefined && value.length > LONGEST) return value;
    if (this.#values.size >= MOST) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }

  /** To be called once the changes are on disk. */
  changed(changes: Changes): void {
    for (const [key, value] of changes) {
      if (!this.#values.has(key)) continue;
      if (value === DELETED) this.#values.set(key, undefined);
      else if (value.length > LONGEST) this.#values.delete(key);
      else this.#values.set(key, value);
    }
  }
}
