/** Interface between the faucet and a chain. Amounts are in its smallest unit, nonces count from 0. */

/** A payment that is signed. Of several with one nonce, at most one can ever be executed. */
export interface SignedPayment {
  /** Hash in the chain's own notation. */
  readonly hash: string;
  /** Bytes to send, in lower-case hex without 0x. */
  readonly bytes: string;
  /** The most that it takes from the account: amount and fee. */
  readonly cost: bigint;
}

/** The paying account and its chain, as of the newest block. */
export interface Funds {
  /** Tells one chain from another: the same as long as the chain is the same. */
  readonly chain: string;
  /** For people. */
  readonly chainId: string;
  /** Name of the rollup, under which explorers have it; undefined on other chains, and while it is not known. */
  readonly rollup?: string | undefined;
  /** How many transactions of the account are executed, which is its next nonce. */
  readonly nonce: number;
  readonly balance: bigint;
  /** Highest usual cost of a payment besides its amount. */
  readonly fee: bigint;
}

/** The node's answer to a payment. */
export type Sent =
  /** It has it, or has had it. */
  | { readonly kind: 'held' }
  /** Not in signed form: another payment with the same nonce may be taken. */
  | { readonly kind: 'sign-again'; readonly reason: string }
  /** Not any more: no block behind this one executes it. Another payment with the same nonce may be taken. */
  | { readonly kind: 'expired'; readonly reason: string }
  /** Not now. A block will tell, or another try. */
  | { readonly kind: 'later'; readonly reason: string };

/** Outcome of payments whose nonce is spent. */
export type Outcome =
  | { readonly kind: 'paid'; readonly hash: string; readonly block: bigint }
  /** In a block, without moving the amount. */
  | { readonly kind: 'failed'; readonly hash: string; readonly reason: string }
  /** Another transaction of the account had the nonce, for certain. */
  | { readonly kind: 'replaced' }
  /** None of them is found, and more blocks will make it certain. */
  | { readonly kind: 'undecided' }
  /** None of them is found. */
  | { readonly kind: 'unknown' };

/** An account on a chain. Every call that takes a signal asks a node, and may fail at any moment. */
export interface Payer {
  /** Account in the chain's own notation. */
  readonly account: string;
  /**
   * The one spelling of an address, from any.
   *
   * @throws {Rejected} `malformed`, with a message for people.
   */
  recipient(text: string): string;
  /** @throws {Unusable} */
  funds(signal: AbortSignal): Promise<Funds>;
  /** @throws {Unpayable} if no payment to this recipient can succeed. */
  sign(payment: Payment, signal: AbortSignal): Promise<SignedPayment>;
  send(payment: SignedPayment, signal: AbortSignal): Promise<Sent>;
  /** @param payments All with the same nonce, which is spent. */
  outcome(payments: readonly SignedPayment[], nonce: number, signal: AbortSignal): Promise<Outcome>;
  close(): void;
}

export interface Payment {
  readonly to: string;
  readonly amount: bigint;
  readonly nonce: number;
}

/** The node answers, but cannot be used until the settings are corrected. The message names the problem. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** The recipient does not accept payments. The message gives the reason, for people. */
export class Unpayable extends Error {
  override readonly name = 'Unpayable';
}
