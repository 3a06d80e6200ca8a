import { type Changes, DELETED } from './changes.ts';

export interface RecordCacheOptions {
  /** Most entries. At least half as many of the last used ones are kept. */
  readonly entries: number;
  /** Longer values are not kept. */
  readonly maxLength: number;
}

/**
 * The records that were used last, absent ones included: they were verified when read, so it costs
 * neither a look at the file nor a checksum.
 *
 * Entries live in two generations, and the older one is dropped whole: a hit costs a lookup and keeps no order.
 */
export class RecordCache {
  readonly #half: number;
  readonly #maxLength: number;
  #young = new Map<string, Uint8Array | undefined>();
  #old = new Map<string, Uint8Array | undefined>();

  constructor({ entries, maxLength }: RecordCacheOptions) {
    this.#half = Math.max(1, entries >> 1);
    this.#maxLength = maxLength;
  }

  get(key: string, read: () => Uint8Array | undefined): Uint8Array | undefined {
    const young = this.#young.get(key);
    if (young !== undefined || this.#young.has(key)) return young;
    const value = this.#old.has(key) ? this.#old.get(key) : read();
    this.#keep(key, value);
    return value;
  }

  /** To be called once the changes are on disk. */
  changed(changes: Changes): void {
    for (const [key, value] of changes) {
      if (!this.#young.has(key) && !this.#old.has(key)) continue;
      // Otherwise the old generation would give a value that is both too long now and stale.
      this.#old.delete(key);
      this.#young.delete(key);
      this.#keep(key, value === DELETED ? undefined : value);
    }
  }

  #keep(key: string, value: Uint8Array | undefined): void {
    if (value !== undefined && value.length > this.#maxLength) return;
    this.#young.set(key, value);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
