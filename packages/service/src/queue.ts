import { Notifier } from './notify.ts';

export interface QueueBounds<T> {
  readonly maxItems: number;
  /** Bound on the sum of `bytesOf`; none, if absent. */
  readonly maxBytes?: number;
  readonly bytesOf?: (item: T) => number;
}

/** First in, first out, with a bound on items and on bytes. When full it refuses; it never drops and never waits to take in. */
export class BoundedQueue<T> {
  readonly #bounds: QueueBounds<T>;
  readonly #arrived = new Notifier();
  // Taken items are cleared at once and their room is given back once they are half of it, so that taking costs the same at any size.
  #items: (T | undefined)[] = [];
  #first = 0;
  #bytes = 0;

  constructor(bounds: QueueBounds<T>) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#items.length - this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns false, with nothing changed, where the item does not fit. */
  push(item: T): boolean {
    const bytes = this.#bytesOf(item);
    if (this.size >= this.#bounds.maxItems) return false;
    if (this.#bytes + bytes > (this.#bounds.maxBytes ?? Number.POSITIVE_INFINITY)) return false;
    this.#items.push(item);
    this.#bytes += bytes;
    this.#arrived.notify();
    return true;
  }

  /** The oldest item, as soon as there is one. Rejects with the reason of `signal` when that aborts. */
  async take(signal: AbortSignal): Promise<T> {
    while (this.size === 0) await this.#arrived.wait(signal);
    return this.#shift();
  }

  /** Up to `limit` of the oldest items, without waiting. */
  drain(limit = Number.POSITIVE_INFINITY): T[] {
    const taken: T[] = [];
    while (this.size > 0 && taken.length < limit) taken.push(this.#shift());
    return taken;
  }

  #shift(): T {
    // Only called while an item is there, and that slot holds a T: `undefined` marks taken slots only.
    const item = this.#items[this.#first] as T;
    this.#items[this.#first] = undefined;
    this.#first += 1;
    this.#bytes -= this.#bytesOf(item);
    if (this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  #bytesOf(item: T): number {
    return this.#bounds.bytesOf?.(item) ?? 0;
  }
}
