import type { AccountId, TxHash } from '@switchyard/protocol';
import type { Clock } from '@switchyard/service';
import type { Forwarded, Forwarder } from './forwarder.ts';

/** A transaction on its way to the composer. */
export interface Handover {
  readonly hash: TxHash;
  readonly signer: AccountId;
  readonly nonce: number;
  readonly bytes: Uint8Array;
}

export interface HandoverDeps {
  readonly forwarder: Pick<Forwarder, 'forward' | 'detectsCopies' | 'ready'>;
  readonly clock: Clock;
  /** Called when it is certain that the composer does not have a transaction. */
  readonly onDropped: (hash: TxHash) => void;
}

type Waiter = (outcome: Forwarded) => void;

interface Unclear {
  readonly handover: Handover;
  readonly since: number;
}

/** A composer that does not detect copies would include the same bytes again; a block is given this long to show them first. */
export const RESEND_AFTER_MS = 30_000;

/**
 * Tracks each transaction from its hand-over until the composer has acknowledged or refused it.
 *
 * ```
 *   start ──► under way ──► acknowledged           (no longer tracked)
 *                 │  ▲   └─► refused, unavailable  (dropped)
 *                 ▼  │ sent again
 *               unclear
 * ```
 *
 * An unclear one is never reported as accepted: the composer may have it, so its nonce stays taken, but it may just as
 * well have none of it, so the same bytes go to the composer again before they are reported as accepted.
 */
export class Handovers {
  readonly #deps: HandoverDeps;
  readonly #waiting = new Map<TxHash, Waiter[]>();
  readonly #unclear = new Map<TxHash, Unclear>();
  readonly #unclearOf = new Map<AccountId, Set<TxHash>>();

  constructor(deps: HandoverDeps) {
    this.#deps = deps;
  }

  isUnderWay(hash: TxHash): boolean {
    return this.#waiting.has(hash);
  }

  isUnclear(hash: TxHash): boolean {
    return this.#unclear.has(hash);
  }

  /** The unclear transaction with the lowest nonce of an account: later ones may never be executable. */
  firstUnclear(signer: AccountId): Handover | undefined {
    let first: Handover | undefined;
    for (const hash of this.#unclearOf.get(signer) ?? []) {
      const handover = this.#unclear.get(hash)?.handover;
      if (handover !== undefined && (first === undefined || handover.nonce < first.nonce)) first = handover;
    }
    return first;
  }

  start(handover: Handover, settle: Waiter): void {
    const { forwarder, clock } = this.#deps;
    const { hash, bytes } = handover;
    const waiting = this.#waiting.get(hash);
    if (waiting !== undefined) {
      waiting.push(settle);
      return;
    }
    const since = this.#unclear.get(hash)?.since;
    if (since !== undefined && !forwarder.detectsCopies && clock.now() - since < RESEND_AFTER_MS) {
      const reason =
        'the composer may have it and would not detect a copy, so a block is awaited before it is sent again';
      settle({ kind: 'unclear', reason });
      return;
    }
    this.#waiting.set(hash, [settle]);
    forwarder.forward(bytes, (outcome) => this.#settle(handover, outcome));
  }

  /** Sends unclear transactions again, as far as a copy does no harm. */
  resend(): void {
    if (!this.#deps.forwarder.ready || !this.#deps.forwarder.detectsCopies) return;
    const all = [...this.#unclear.values()].map(({ handover }) => handover).sort((a, b) => a.nonce - b.nonce);
    for (const handover of all) if (!this.isUnderWay(handover.hash)) this.start(handover, () => undefined);
  }

  /** It was found out in another way: the composer has it, or a block, or it is given up. */
  forget(hash: TxHash): void {
    const unclear = this.#unclear.get(hash);
    if (unclear === undefined) return;
    this.#unclear.delete(hash);
    const { signer } = unclear.handover;
    const ofSigner = this.#unclearOf.get(signer);
    ofSigner?.delete(hash);
    if (ofSigner?.size === 0) this.#unclearOf.delete(signer);
  }

  #settle(handover: Handover, outcome: Forwarded): void {
    const { hash } = handover;
    const waiting = this.#waiting.get(hash) ?? [];
    this.#waiting.delete(hash);
    // That this attempt did not reach the composer does not settle the one before it.
    const known: Forwarded =
      outcome.kind === 'unavailable' && this.isUnclear(hash) ? { kind: 'unclear', reason: outcome.reason } : outcome;
    if (known.kind === 'unclear') this.#remember(handover);
    else this.forget(hash);
    if (known.kind === 'refused' || known.kind === 'unavailable') this.#deps.onDropped(hash);
    for (const each of waiting) each(known);
  }

  #remember(handover: Handover): void {
    const { hash, signer } = handover;
    if (this.isUnclear(hash)) return;
    this.#unclear.set(hash, { handover, since: this.#deps.clock.now() });
    const ofSigner = this.#unclearOf.get(signer) ?? new Set();
    this.#unclearOf.set(signer, ofSigner.add(hash));
  }
}
