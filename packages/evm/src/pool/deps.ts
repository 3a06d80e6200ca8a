import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { TxHash } from '@switchyard/protocol';
import type { Collector } from '@switchyard/rollup/execution';
import type { Clock, Logger, Metrics, WallClock } from '@switchyard/service';
import type { SenderState } from '../rules/rules.ts';
import type { Transaction } from '../transactions/transaction.ts';
import type { ChainOutcome, LocalOutcome, Pool, PoolTransaction } from './pool.ts';

/** A transaction that is well formed, signed, and fit for some block of this chain. */
export interface SignedTransaction
  extends Pick<Transaction, 'hash' | 'nonce' | 'gasLimit' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'value'> {
  readonly from: Address;
  /** Accounts whose code it may change (EIP-7702). Each costs the work of a signature, so they are computed on first use. */
  readonly authorities: () => readonly Address[];
}

/** An account after the soft block. A missing account has zeros. */
export interface PoolAccount extends SenderState {
  /** It runs the code of another account (EIP-7702). */
  readonly isDelegated: boolean;
}

/** One commit, as far as the pool minds. */
export interface PoolCommit {
  readonly included: readonly { readonly hash: Hash; readonly from: Address; readonly raw: Uint8Array }[];
  /** Transactions only. `code` is one of `REFUSALS` in rules.ts. */
  readonly refused: readonly { readonly hash: Hash; readonly code: string }[];
}

/**
 * The chain as the pool sees it, over either back end. If a back end is remote it answers with promises;
 * if it can answer at once it should, since a promise costs each transaction a turn.
 */
export interface PoolChain {
  /** Base fee of the block that follows the soft one: wei for each unit of gas. */
  readonly nextBaseFee: bigint;
  /** Height of the sequencer block that the soft block was made from. */
  readonly sequencerHeight: bigint;
  /** Hash of the sequencer block at a height, recorded at its execution, in hex without 0x; undefined if it is not known. */
  sequencerHash(height: bigint): string | undefined;
  account(address: Address): PoolAccount | Promise<PoolAccount>;
  outcome(hash: Hash): ChainOutcome | undefined | Promise<ChainOutcome | undefined>;
  /** Called when a commit is on disk and `account` answers with it. @returns a function that ends it. */
  onCommit(listener: (commit: PoolCommit) => void): () => void;
}

/** Records of the pool that outlive a restart. Each call is one durable transaction. */
export interface PoolStore {
  /** In the order in which they were put. */
  held(): Iterable<HeldRecord>;
  /** Outcomes of transactions that were held and left in another way than to the composer, oldest first. */
  outcomes(): Iterable<OutcomeRecord>;
  change(changes: PoolChanges): void;
}

/** With the sender, so that no signature has to be looked at after a restart. */
export type HeldRecord = Pick<PoolTransaction, 'hash' | 'raw' | 'from' | 'receivedAt'>;

export interface OutcomeRecord {
  readonly hash: Hash;
  readonly outcome: LocalOutcome;
}

export interface PoolChanges {
  readonly hold?: readonly HeldRecord[];
  readonly release?: readonly Hash[];
  readonly outcomes?: readonly OutcomeRecord[];
  readonly forgetOutcomes?: readonly Hash[];
}

export interface PoolDeps {
  readonly chain: PoolChain;
  /**
   * All checks of bytes that need no account: form, type, chain id, size, gas limits, signature.
   *
   * @param sender If known already; the signature is not checked then.
   * @throws {JsonRpcError} -32000 with geth's text.
   */
  readonly check: (raw: Uint8Array, sender?: Address) => SignedTransaction;
  /** Like `check`, for transactions that are sent here, many at a time; answers in the order of the calls. */
  readonly checkLater?: (raw: Uint8Array) => Promise<SignedTransaction>;
  /** Keccak-256 of the bytes. */
  readonly findHash: (raw: Uint8Array) => Hash;
  readonly collector: Collector;
  readonly store: PoolStore;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly wall?: WallClock;
  readonly random?: () => number;
  readonly bounds?: Partial<PoolBounds>;
}

export interface PoolBounds {
  /** Transactions, and their bytes, that were sent on and that no block has shown. */
  readonly maxSent: number;
  readonly maxSentBytes: number;
  /** Transactions that wait for a nonce before them: of one sender, and of all. */
  readonly maxHeldOfSender: number;
  readonly maxHeld: number;
  readonly maxHeldBytes: number;
  /** How long a transaction is held. */
  readonly heldMs: number;
  /** How long a sender waits for the composer's answer. */
  readonly answerWithinMs: number;
}

export interface SubmissionOutcome {
  readonly submission: TxHash;
  readonly hash: Hash;
  /** Undefined while nothing is decided. */
  readonly outcome: ChainOutcome | LocalOutcome | undefined;
}

/** A pool with its life. */
export interface RunningPool extends Pool {
  /** Why nothing can be sent on now; undefined when it can. */
  readonly trouble: string | undefined;
  /** Like `nextNonce`, for back ends that are remote. */
  pendingNonce(address: Address): Promise<bigint>;
  /** Outcomes of bytes sent from here, by the SHA-256 that sequencer and composer use. Old ones are forgotten. */
  outcomes(submissions: readonly TxHash[]): Promise<readonly SubmissionOutcome[]>;
  /** Passes on transactions, until the signal aborts. Before it runs, everything is refused. */
  work(signal: AbortSignal): Promise<void>;
}

export type { ChainOutcome, LocalOutcome, PoolTransaction };
