import type { Hash } from '@switchyard/evm-machine/types';
import type { LocalOutcome, OutcomeRecord } from './deps.ts';

/** The newest outcomes that are in no block. */
export class LocalOutcomes {
  readonly #kept = new Map<Hash, LocalOutcome>();
  readonly #max: number;

  constructor(max: number, stored: Iterable<OutcomeRecord> = []) {
    this.#max = max;
    for (const { hash, outcome } of stored) this.#kept.set(hash, outcome);
  }

  get(hash: Hash): LocalOutcome | undefined {
    return this.#kept.get(hash);
  }

  /** @returns the hashes that had to go. */
  add({ hash, outcome }: OutcomeRecord): Hash[] {
    this.#kept.delete(hash);
    this.#kept.set(hash, outcome);
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
