import type { Snapshot } from '@switchyard/machine';
import type {
  AccountId,
  BlockHash,
  CommitmentState,
  Deposit,
  FirmMeaning,
  Rejected,
  Timestamp,
  TxHash,
} from '@switchyard/protocol';
import type { Receipt } from './receipts.ts';
import type { StoredBlock } from './stored-blocks.ts';

/** A deposit and the account that got it. */
export interface CreditedDeposit {
  readonly deposit: Deposit;
  readonly account: AccountId;
  /** Bug for which the account for failed deposits got it. */
  readonly message?: string;
}

/** A bug of a handler that refused a transaction or diverted a deposit; the cause of the refusal is the error. */
export interface BlockBug {
  /** A transaction of the rollup, or that of the sequencer which made the deposit. */
  readonly transaction: TxHash;
  readonly refused: Rejected;
}

/** State that queries read: the soft block and the state after it. */
export interface SoftView {
  readonly snapshot: Snapshot;
  readonly soft: bigint;
  readonly firm: bigint;
  /** The soft block. */
  readonly block: StoredBlock;
  readonly commitments: CommitmentState;
  /** Evidence that made the firm blocks firm; undefined if that is not kept. */
  readonly firmMeaning: FirmMeaning | undefined;
  /** The first block after block 0 that is kept. */
  readonly lowest: bigint;
}

/** A block that has just become the soft one, or lies below it. */
export interface CommittedBlock extends BlockRecord {
  readonly receipts: readonly Receipt[];
  readonly bugs: readonly BlockBug[];
  /** Error of `onBlock`, whose rows the block then lacks. */
  readonly hookFailure?: unknown;
}

/** Called after each commit, with the new view and the blocks that came with it: none, if only firm moved. */
export type CommitListener = (view: SoftView, committed: readonly CommittedBlock[]) => void;

/** An event of a rollup's own, with its kind besides its fields. */
export interface NamedEvent {
  readonly kind: string;
}

/** An event that was emitted, in both of its forms. */
export interface EncodedEvent {
  readonly value: NamedEvent;
  readonly bytes: Uint8Array;
}

/** One event of an executed transaction. */
export interface BlockEvent<E = EncodedEvent> {
  readonly event: E;
  readonly signer: AccountId;
  readonly transaction: TxHash;
}

/** A block after its execution, for other rows that a rollup keeps about it. */
export interface BlockRecord<E = EncodedEvent> {
  readonly number: bigint;
  readonly hash: BlockHash;
  readonly time: Timestamp;
  /** In the order in which they happened. */
  readonly events: readonly BlockEvent<E>[];
  readonly deposits: readonly CreditedDeposit[];
}
