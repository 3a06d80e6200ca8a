import type { Hash } from '../types.ts';
import type { FateRecord, LocalFate } from './deps.ts';

/** The newest ends that no block tells of. */
export class LocalFates {
  readonly #kept = new Map<Hash, LocalFate>();
  readonly #max: number;

  constructor(max: number, stored: Iterable<FateRecord> = []) {
    this.#max = max;
    for (const { hash, fate } of stored) this.#kept.set(hash, fate);
  }

  get(hash: Hash): LocalFate | undefined {
    return this.#kept.get(hash);
  }

  /** @returns the hashes that had to go. */
  add({ hash, fate }: FateRecord): Hash[] {
    this.#kept.delete(hash);
    this.#kept.set(hash, fate);
    return this.#cut();
  }

  #cut(): Hash[] {
    const gone: Hash[] = [];
    for (const hash of this.#kept.keys()) {
      if (this.#kept.size <= this.#max) break;
      this.#kept.delete(hash);
      gone.push(hash);
    }
    return gone;
  }
}
