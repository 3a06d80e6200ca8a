import type { Watch } from '@switchyard/evm-machine/interface';
import type { AccountProof, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Data, Hash, Header, Log, Withdrawal } from '@switchyard/evm-machine/types';
import type { CommitmentRow } from './commitments.ts';

/** A transaction that is in a block, as its sender signed it. */
export interface IncludedTransaction {
  readonly hash: Hash;
  readonly from: Address;
  /** EIP-2718 bytes, as sequenced. */
  readonly raw: Uint8Array;
}

export interface StoredReceipt {
  readonly type: number;
  /** 1 when it succeeded, 0 when it reverted or ran out of gas. */
  readonly status: 0 | 1;
  /** Root of the state after it: stands in place of the status before EIP-658, so only in imported chains. */
  readonly stateRoot?: Hash;
  readonly gasUsed: bigint;
  readonly cumulativeGasUsed: bigint;
  /** Wei for each unit of gas. */
  readonly effectiveGasPrice: bigint;
  /** Address for a transaction that creates a contract, also when that failed; else undefined. */
  readonly contractAddress: Address | undefined;
  readonly logs: readonly Log[];
}

export interface StoredBlock {
  readonly hash: Hash;
  readonly header: Header;
  readonly transactions: readonly IncludedTransaction[];
  readonly withdrawals: readonly Withdrawal[];
  /** Headers of its uncles, if it has some: only in imported chains. */
  readonly uncles?: readonly Header[];
  /** Length of its RLP. */
  readonly size: number;
}

/** An entry of a sequencer block that did not become a transaction or a withdrawal, and why. */
export interface RefusedEntry {
  /** Position among the entries of the sequencer block. */
  readonly entry: number;
  readonly kind: 'transaction' | 'deposit' | 'unknown';
  /** Keccak-256 of the bytes of a transaction; id of a deposit. */
  readonly hash: Hash;
  readonly from: Address | undefined;
  /** One of `REFUSALS` in rules.ts. */
  readonly code: string;
  /** One line for people. */
  readonly reason: string;
}

/** Block numbers. `latest` is the soft commitment, `finalized` the firm one. */
export interface Heads {
  readonly latest: bigint;
  readonly safe: bigint;
  readonly finalized: bigint;
}

export type BlockRef = bigint | Hash;

/** A block that a commit brought. */
export interface CommittedBlock {
  readonly block: StoredBlock;
  readonly receipts: readonly StoredReceipt[];
  readonly refused: readonly RefusedEntry[];
}

/** Place of the chain after a commit. */
export interface Moved {
  readonly commitments: CommitmentRow;
  readonly lowest: bigint;
  /** Number of the first block that the commit brought; above the soft one if it brought none. */
  readonly first: bigint;
}

/** Blocks that a new soft head brought, oldest first. */
export interface Committed {
  readonly blocks: readonly CommittedBlock[];
  readonly heads: Heads;
}

/** Blocks that were taken back, in a chain for tests. */
export interface Dropped {
  /** The newest block that stayed. */
  readonly after: bigint;
  /** Logs of the dropped ones, the newest first. */
  readonly logs: readonly FoundLog[];
}

export interface LogQuery {
  readonly from: bigint;
  readonly to: bigint;
  /** Empty: any. */
  readonly addresses: readonly Address[];
  /** For each position the topics that will do; empty: any. */
  readonly topics: readonly (readonly Hash[])[];
}

export interface FoundLog {
  readonly log: Log;
  readonly block: bigint;
  readonly blockHash: Hash;
  readonly timestamp: bigint;
  readonly transaction: Hash;
  readonly transactionIndex: number;
  /** In the block. */
  readonly logIndex: number;
}

/** The committed chain as queries see it. Every answer is about blocks up to `heads.latest`. */
export interface ChainReader {
  readonly chainId: bigint;
  readonly heads: Heads;
  findHash(number: bigint): Hash | undefined;
  header(
    ref: BlockRef,
  ): { readonly hash: Hash; readonly header: Header; readonly size: number; readonly transactions: number } | undefined;
  block(ref: BlockRef): StoredBlock | undefined;
  receipts(ref: BlockRef): readonly StoredReceipt[] | undefined;
  /** Position of an included transaction. */
  transaction(hash: Hash): { readonly block: bigint; readonly index: number } | undefined;
  /** The last refusal of these bytes, if they were never included. */
  refusal(hash: Hash): { readonly block: bigint; readonly refused: RefusedEntry } | undefined;
  refusedIn(block: bigint): readonly RefusedEntry[];
  /** Access list of a block in RLP (EIP-7928); undefined if it has none. */
  accessListIn(block: bigint): Uint8Array | undefined;
  /** State after the block. @throws {HistoryGone} if it is not kept. */
  state(block: bigint): StateReader;
  proof(block: bigint, address: Address, slots: readonly Hash[]): AccountProof | Promise<AccountProof>;
  /** In order. Ends early, with `more`, after `limit` logs. @param watch Called for each block that is looked into. */
  logs(query: LogQuery, limit: number, watch?: Watch): { readonly logs: readonly FoundLog[]; readonly more: boolean };
  /** @returns a function that ends it. */
  onCommit(listener: (committed: Committed) => void): () => void;
  /** Absent if blocks are final. Called before `onCommit` with the blocks in their place. */
  onDrop?(listener: (dropped: Dropped) => void): void;
}

/** State that is not kept. */
export class HistoryGone extends Error {}

/** A block that was deleted. */
export class PrunedHistory extends Error {}

/** Rows that an index of its own adds to the transaction that stores a block. */
export interface ExecutedBlock {
  readonly block: StoredBlock;
  readonly receipts: readonly StoredReceipt[];
  readonly refused: readonly RefusedEntry[];
  /** For each transaction, the calls inside it that moved value, created or destroyed; undefined if there was only the transaction itself. */
  readonly internal: readonly (readonly InternalCall[] | undefined)[];
}

export interface InternalCall {
  readonly kind: 'call' | 'create' | 'create2' | 'selfdestruct';
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  /** 1 for calls of the called contract. */
  readonly depth: number;
}

export type { Data };
