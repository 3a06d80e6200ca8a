import type { Clock } from '@switchyard/service';

/** How long a nonce that our own transactions do not explain has to be reported before it is believed. */
const CONFIRM_MS = 1_000;

/**
 * The next free nonce of the paying account.
 *
 * It comes from a sequencer node, and a wrong one is expensive: what is signed under a nonce that is never reached
 * waits forever. So a nonce beyond what our own transactions explain (another process uses the account, or this is a
 * start) counts only once it was reported twice, some time apart; a lower one counts at once. One that is lower than
 * what our own transactions in blocks have reached means that the sequencer lost blocks.
 */
export class AccountNonce {
  readonly #clock: Clock;
  #value = 0;
  #reported = 0;
  #claim: { readonly nonce: number; readonly since: number } | undefined;
  #reached = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get value(): number {
    return this.#value;
  }

  /** A higher nonce was reported and is not confirmed yet: nothing should be signed meanwhile. */
  get isInDoubt(): boolean {
    return this.#claim !== undefined;
  }

  /** Set while the sequencer reports a lower nonce than our transactions in its blocks have used. */
  get lost(): { readonly reported: number; readonly reached: number } | undefined {
    return this.#reported < this.#reached ? { reported: this.#reported, reached: this.#reached } : undefined;
  }

  /** A transaction of ours with this nonce is in a block. */
  used(nonce: number): void {
    this.#reached = Math.max(this.#reached, nonce + 1);
  }

  /** @param explained The nonce after the last one that we have signed for. */
  report(nonce: number, explained: number): void {
    this.#reported = nonce;
    if (nonce <= Math.max(this.#value, explained)) {
      this.#value = nonce;
      this.#claim = undefined;
      return;
    }
    const { since = this.#clock.now(), nonce: before = nonce } = this.#claim ?? {};
    const claimed = Math.min(nonce, before);
    if (this.#clock.now() - since < CONFIRM_MS) this.#claim = { nonce: claimed, since };
    else {
      this.#value = claimed;
      this.#claim = undefined;
    }
  }
}
