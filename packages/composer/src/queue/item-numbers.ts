import type { TxHash } from '@switchyard/protocol';
import type { Space } from './items.ts';

/** The newest item with a hash, by rollup. */
export class ItemNumbers {
  readonly #numbers = new Map<Space, Map<TxHash, number>>();

  get(space: Space, hash: TxHash): number | undefined {
    return this.#numbers.get(space)?.get(hash);
  }

  set(space: Space, hash: TxHash, keyed: TxHash | undefined, number: number): void {
    let numbers = this.#numbers.get(space);
    if (numbers === undefined) {
      numbers = new Map();
      this.#numbers.set(space, numbers);
    }
    numbers.set(hash, number);
    if (keyed !== undefined) numbers.set(keyed, number);
  }

  /** Forgets the item. Equal bytes may have been accepted again since, and stay. */
  delete(space: Space, hash: TxHash, keyed: TxHash | undefined, number: number): void {
    const numbers = this.#numbers.get(space);
    if (numbers === undefined) return;
    if (numbers.get(hash) === number) numbers.delete(hash);
    if (keyed !== undefined && numbers.get(keyed) === number) numbers.delete(keyed);
    if (numbers.size === 0) this.#numbers.delete(space);
  }
}
