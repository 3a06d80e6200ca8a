import type { Clock } from '@switchyard/service';

/** How long a nonce that our own transactions do not explain has to be reported before it is believed. */
const CONFIRM_MS = 1_000;

/**
 * The next free nonce of an account that this process signs for.
 *
 * It comes from a node, and a wrong one is expensive: a transaction signed under a nonce that is never reached waits forever, and
 * a nonce that only seems to be spent is signed for a second time. So a nonce beyond our own transactions
 * (another process uses the account, or this is a start) counts only once it was reported twice, some time apart; a lower
 * one counts at once.
 */
export class BelievedNonce {
  readonly #clock: Clock;
  #value = 0;
  #claim: { readonly nonce: number; readonly since: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get value(): number {
    return this.#value;
  }

  /** A higher nonce was reported and is not confirmed yet: nothing should be signed in the meantime. */
  get isInDoubt(): boolean {
    return this.#claim !== undefined;
  }

  /** @param explained The nonce after the last one that is signed for, or known to be spent. */
  report(nonce: number, explained: number): void {
    const { since = this.#clock.now(), nonce: before = nonce } = this.#claim ?? {};
    const isExplained = nonce <= explained || nonce <= this.#value;
    // Both reports agree up to here.
    const claimed = Math.min(nonce, before);
    const isBelieved = isExplained || this.#clock.now() - since >= CONFIRM_MS;
    this.#claim = isBelieved ? undefined : { nonce: claimed, since };
    if (isBelieved) this.#value = isExplained ? nonce : claimed;
  }
}
