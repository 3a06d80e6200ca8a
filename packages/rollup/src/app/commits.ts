import type { Snapshot } from '@switchyard/machine';
import type {
  AccountId,
  BlockHash,
  CommitmentState,
  Deposit,
  FirmMeaning,
  Timestamp,
  TxHash,
} from '@switchyard/protocol';
import type { Receipt } from './outcomes.ts';
import type { StoredBlock } from './stored-blocks.ts';

/** A deposit and the account that got it. */
export interface CreditedDeposit {
  readonly deposit: Deposit;
  readonly account: AccountId;
}

/** State that queries read: the soft block and the state after it. */
export interface SoftView {
  readonly snapshot: Snapshot;
  readonly soft: bigint;
  readonly firm: bigint;
  /** The soft block. */
  readonly block: StoredBlock;
  readonly commitments: CommitmentState;
  /** Evidence that made the firm blocks firm; undefined where that is not kept. */
  readonly firmMeaning: FirmMeaning | undefined;
  /** The first block after block 0 that is kept. */
  readonly lowest: bigint;
}

/** A block that has just become the soft one, or lies below it. */
export interface CommittedBlock<E> extends BlockRecord<E> {
  readonly receipts: readonly Receipt[];
}

/** Called after each commit, with the new view and the blocks that came with it: none, if only firm moved. */
export type CommitListener<E> = (view: SoftView, committed: readonly CommittedBlock<E>[]) => void;

/** One event of an executed transaction. */
export interface BlockEvent<E> {
  readonly event: E;
  readonly signer: AccountId;
  readonly transaction: TxHash;
}

/** A block after its execution, for whatever else a rollup keeps about it. */
export interface BlockRecord<E> {
  readonly number: bigint;
  readonly hash: BlockHash;
  readonly time: Timestamp;
  /** In the order in which they happened. */
  readonly events: readonly BlockEvent<E>[];
  readonly deposits: readonly CreditedDeposit[];
}
