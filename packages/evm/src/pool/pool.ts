import type { Address, Hash } from '@switchyard/evm-machine/types';

/** A transaction that was accepted here and is not in a block yet. */
export interface PoolTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly nonce: bigint;
  readonly raw: Uint8Array;
  /** `sent`: the composer has it on disk, or will; `held`: a nonce before it is missing. */
  readonly state: 'sent' | 'held';
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Outcome of a transaction on the chain. */
export type ChainOutcome =
  | {
      readonly kind: 'included';
      readonly block: bigint;
      readonly index: number;
      readonly success: boolean;
      readonly firm: boolean;
    }
  | { readonly kind: 'refused'; readonly block: bigint; readonly code: string; readonly reason: string };

/** An outcome that is in no block. */
export type LocalOutcome =
  | { readonly kind: 'replaced'; readonly by: Hash }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string };

/** The position of a transaction on its way. The method `switchyard_transactionStatus` answers this as JSON. */
export type TransactionStatus =
  | { readonly status: 'unknown' }
  /** Waits here for a nonce before it; `missing` is the first one. */
  | { readonly status: 'held'; readonly missing: bigint; readonly reason?: string }
  /** The composer may have it or not; it is not acknowledged until that is known. */
  | { readonly status: 'unclear'; readonly reason: string }
  | { readonly status: 'queued' | 'bundled' }
  | { readonly status: 'sequenced'; readonly sequencerHeight: bigint }
  | StatusOf<ChainOutcome | LocalOutcome>;

/** An outcome as a status: the statuses are named as the kinds are. */
type StatusOf<O extends { readonly kind: string }> = O extends unknown
  ? Omit<O, 'kind'> & { readonly status: O['kind'] }
  : never;

export function statusOfOutcome({ kind, ...rest }: ChainOutcome | LocalOutcome): TransactionStatus {
  return { status: kind, ...rest } as StatusOf<ChainOutcome | LocalOutcome>;
}

/** Transactions between `eth_sendRawTransaction` and their block. */
export interface Pool {
  /**
   * Resolves when the composer has it on disk, or when it is held on ours.
   *
   * @throws {JsonRpcError} with the code and text that libraries match on.
   */
  send(raw: Uint8Array): Promise<Hash>;
  get(hash: Hash): PoolTransaction | undefined;
  status(hash: Hash): Promise<TransactionStatus>;
  /** The nonce that the sender's next transaction needs, counting sent ones. */
  nextNonce(address: Address): bigint;
  readonly counts: { readonly sent: number; readonly held: number };
  /** Transactions of a sender, by nonce. */
  ofSender(address: Address): readonly PoolTransaction[];
  /** Transactions by sender, in the order of nonces. @param limit Transactions in each half, the earliest first. */
  content(limit?: number): {
    readonly pending: ReadonlyMap<Address, readonly PoolTransaction[]>;
    readonly queued: ReadonlyMap<Address, readonly PoolTransaction[]>;
  };
  /** Transactions of the next block as far as is known here, in the order in which they were sent. */
  pending(limit: number): readonly PoolTransaction[];
  /** Called for each transaction when it becomes pending. @returns a function that ends it. */
  onPending(listener: (transaction: PoolTransaction) => void): () => void;
}
