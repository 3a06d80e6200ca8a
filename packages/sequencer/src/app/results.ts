import type { TxHash } from '@switchyard/protocol';
import type { TxResult } from './types.ts';

export interface RecentResult {
  readonly height: bigint;
  readonly result: TxResult;
}

export interface ResultLimits {
  readonly count: number;
  /** A bundle has hundreds of events, so their number bounds memory and not that of results. */
  readonly events: number;
  readonly ageMs: number;
}

const LIMITS: ResultLimits = { count: 1_000, events: 16_384, ageMs: 60_000 };

/** Results of the transactions of the last minute, for queries of outcomes. */
export class RecentResults {
  readonly #limits: ResultLimits;
  readonly #now: () => number;
  readonly #rows = new Map<TxHash, RecentResult & { readonly at: number }>();
  #events = 0;

  constructor(deps: { now(): number }, limits: ResultLimits = LIMITS) {
    this.#now = deps.now;
    this.#limits = limits;
  }

  add(hash: TxHash, height: bigint, result: TxResult): void {
    this.#rows.set(hash, { height, result, at: this.#now() });
    this.#events += result.events.length;
    this.#trim();
  }

  get(hash: TxHash): RecentResult | undefined {
    this.#trim();
    return this.#rows.get(hash);
  }

  #trim(): void {
    const { count, events, ageMs } = this.#limits;
    for (const [hash, { result, at }] of this.#rows) {
      if (this.#rows.size <= count && this.#events <= events && this.#now() - at < ageMs) return;
      this.#rows.delete(hash);
      this.#events -= result.events.length;
    }
  }
}
