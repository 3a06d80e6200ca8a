import type { Clock } from '@switchyard/service';

/** How long a nonce that our own payments do not explain has to be reported before it is believed. */
const CONFIRM_MS = 1_000;

/** The node reports a nonce that our payments do not explain; it is asked again. */
export class NonceInDoubt extends Error {
  override readonly name = 'NonceInDoubt';
}

/**
 * Keeps a single wrong answer of a node from being acted on: a nonce that is too high would make a claim wait for ever,
 * or look as if another transaction had taken its nonce.
 */
export class BelievedNonce {
  readonly #clock: Clock;
  #believed = 0n;
  #claim: { readonly nonce: bigint; readonly since: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param explained The nonce after the last one that was signed for, or that is known to be spent.
   * @returns the nonce to go by.
   * @throws {NonceInDoubt} until a higher one has been reported for a while.
   */
  check(nonce: bigint, explained: bigint): bigint {
    if (nonce <= explained || nonce <= this.#believed) {
      this.#claim = undefined;
      this.#believed = nonce;
      return nonce;
    }
    const now = this.#clock.now();
    const claim = this.#claim !== undefined && this.#claim.nonce <= nonce ? this.#claim : { nonce, since: now };
    this.#claim = claim;
    if (now - claim.since < CONFIRM_MS) {
      throw new NonceInDoubt(`the node reports nonce ${nonce}, and ours are known up to ${explained}; asking again`);
    }
    this.#claim = undefined;
    // Both reports agree up to here.
    this.#believed = claim.nonce;
    return claim.nonce;
  }
}
