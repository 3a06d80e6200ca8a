/** Room for blobs that nothing proves yet: anybody may post them. */

/** Approximate size of all of them. */
const MAX_BYTES = 16 * 1_048_576;
/** The part of it for one account of the layer. */
const MAX_BYTES_OF_ACCOUNT = 4 * 1_048_576;
/** Number of accounts named if many use up the room together. */
const MAX_NAMED = 5;

export class UnprovenRoom {
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Accounts that have used up their part, or the largest of the accounts that together have used up the whole. */
  get crowdedBy(): readonly string[] {
    const largest = [...this.#byAccount].sort(([, left], [, right]) => right - left).slice(0, MAX_NAMED);
    const isFull = this.#bytes >= MAX_BYTES;
    return largest.filter(([, bytes]) => isFull || bytes >= MAX_BYTES_OF_ACCOUNT).map(([account]) => account);
  }

  isFullFor(account: string): boolean {
    return this.#bytes >= MAX_BYTES || (this.#byAccount.get(account) ?? 0) >= MAX_BYTES_OF_ACCOUNT;
  }

  /** @param bytes Negative for parts that are dropped. */
  take(account: string, bytes: number): void {
    this.#bytes += bytes;
    const ofAccount = (this.#byAccount.get(account) ?? 0) + bytes;
    if (ofAccount > 0) this.#byAccount.set(account, ofAccount);
    else this.#byAccount.delete(account);
  }
}
