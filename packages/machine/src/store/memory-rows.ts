import { type Changes, DELETED } from './changes.ts';
import { SortedKeys } from './sorted-keys.ts';
import type { RangeOptions, Row, StateWriter } from './state.ts';

/** Rows in memory, in the order of their keys. */
export class MemoryRows implements StateWriter {
  readonly #values = new Map<string, Uint8Array>();
  readonly #keys = new SortedKeys();

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Uint8Array | undefined {
    return this.#values.get(key);
  }

  range({ limit, ...bounds }: RangeOptions): readonly Row[] {
    const found: Row[] = [];
    for (const key of this.#keys.within(bounds)) {
      if (found.length >= limit) break;
      // The keys are those of the values.
      found.push([key, this.#values.get(key) as Uint8Array]);
    }
    return found;
  }

  put(key: string, value: Uint8Array): void {
    if (!this.#values.has(key)) this.#keys.add(key);
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#keys.delete(key);
  }

  apply(changes: Changes): void {
    for (const [key, value] of changes) {
      if (value === DELETED) this.delete(key);
      else this.put(key, value);
    }
  }
}
