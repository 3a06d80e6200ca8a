import { BelievedNonce } from '@switchyard/client';

/** The next free nonce of the paying account. One below that of our own transactions means lost blocks. */
export class AccountNonce extends BelievedNonce<number> {
  #reported = 0;
  #reached = 0;

  /** Set while the sequencer reports a lower nonce than our transactions in its blocks have used. */
  get lost(): { readonly reported: number; readonly reached: number } | undefined {
    return this.#reported < this.#reached ? { reported: this.#reported, reached: this.#reached } : undefined;
  }

  /** A transaction of ours with this nonce is in a block. */
  used(nonce: number): void {
    this.#reached = Math.max(this.#reached, nonce + 1);
  }

  override report(nonce: number, explained: number): void {
    this.#reported = nonce;
    super.report(nonce, explained);
  }
}
