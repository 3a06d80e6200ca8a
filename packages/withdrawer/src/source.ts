import type { Found } from './withdrawal.ts';

/** Which blocks are believed. */
export type Level = 'soft' | 'firm';

export interface Batch {
  readonly found: readonly Found[];
  /** Position from which reading continues. */
  readonly position: bigint;
  /** Whether nothing more is there now. */
  readonly isLast: boolean;
}

/** Withdrawals that were read up to a position, and their sum. */
export interface Read {
  readonly position: bigint;
  readonly sum: bigint;
}

/** Sums of the rollup after its newest block, in the smallest unit of the asset. */
export interface RollupSums {
  /** Height of the sequencer block that the newest block was made from. */
  readonly sequencerHeight: bigint;
  /** All deposits from the bridge account, and those among them that were not credited. */
  readonly deposited: bigint;
  readonly uncredited: bigint;
  readonly withdrawn: bigint;
}

/** Names that decide to which chains a ledger belongs, and to which bridge account a rollup. */
export interface RollupNames {
  readonly rollup: string;
  /** Id on the sequencer, in hex. */
  readonly rollupId: string;
  /** Asset whose deposits it credits. */
  readonly asset: string;
  readonly sequencerChainId: string;
}

/** A rollup as the withdrawer sees it. Every call may fail at any moment and is repeated. */
export interface RollupSource {
  /** @throws {Unusable} if the rollup does not pay out of this bridge account. */
  check(signal: AbortSignal): Promise<RollupNames>;
  /** The next withdrawals of the bridge account, in their order. @param position 0 at the beginning. */
  read(position: bigint, level: Level, signal: AbortSignal): Promise<Batch>;
  /** Sum of the deposits that were credited, which is the most that may be paid. */
  credited(signal: AbortSignal): Promise<bigint>;
  sums(read: Read, signal: AbortSignal): Promise<RollupSums>;
}

/** The rollup, the sequencer and the settings do not fit together: people have to act. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
