import type { TxHash } from '@switchyard/protocol';
import type { CodeName } from '../app/codes.ts';

/** Why a transaction is no longer held. */
export interface Removal {
  readonly why: Extract<
    CodeName,
    'expired' | 'invalidNonce' | 'lowerNonceRemoved' | 'executionFailed' | 'alreadyIncluded' | 'internal'
  >;
  /** For people: the nonce, the height, the failure. */
  readonly detail: string;
}

/** How long an included transaction is answered as such, regardless of the number of queries. */
const INCLUDED_FOR_MS = 60_000;

/** Remembers the last removals, oldest forgotten first, so that a client can query the outcome of a transaction. */
export class RemovedTransactions {
  readonly #limit: number;
  readonly #rows = new Map<TxHash, Removal & { readonly at: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(hash: TxHash, removal: Removal, now: number): void {
    this.#rows.delete(hash);
    this.#rows.set(hash, { ...removal, at: now });
    if (this.#rows.size > this.#limit) {
      const [oldest] = this.#rows.keys();
      if (oldest !== undefined) this.#rows.delete(oldest);
    }
  }

  peek(hash: TxHash): Removal | undefined {
    return this.#rows.get(hash);
  }

  /**
   * The reason, once: the next submission of the same bytes is checked again. An inclusion is answered for a minute, since
   * clients that retry would otherwise get a stale nonce.
   */
  take(hash: TxHash, now: number): Removal | undefined {
    const row = this.#rows.get(hash);
    if (row === undefined) return undefined;
    if (row.why !== 'alreadyIncluded' || now - row.at >= INCLUDED_FOR_MS) this.#rows.delete(hash);
    return row;
  }
}
