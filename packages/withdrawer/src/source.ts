import type { Found } from './withdrawal.ts';

/** Which blocks are believed. */
export type Level = 'soft' | 'firm';

export interface Batch {
  readonly found: readonly Found[];
  /** Where reading continues. */
  readonly position: bigint;
  /** Whether nothing more is there now. */
  readonly isLast: boolean;
}

/** Deposits counted so far, for a source that adds them up block by block. */
export interface Counted {
  /** The last block that is counted. */
  readonly block: bigint;
  /** In the asset's smallest unit. */
  readonly deposited: bigint;
}

/** Sums of the rollup after its newest block, in the smallest unit of the asset. */
export interface RollupSums {
  /** Height of the sequencer block that the newest block was made from. */
  readonly sequencerHeight: bigint;
  /** All deposits from the bridge account, those that were not credited too where the rollup counts them. */
  readonly deposited: bigint;
  readonly uncredited: bigint;
  readonly withdrawn: bigint;
  readonly counted?: Counted;
}

/** Names that decide to which chains a ledger belongs. */
export interface RollupNames {
  readonly rollup: string;
  readonly sequencerChainId: string;
}

/** A rollup as the withdrawer sees it. Every call may fail at any moment and is repeated. */
export interface RollupSource {
  /** @throws {Unusable} where the rollup does not pay out of this bridge account. */
  check(signal: AbortSignal): Promise<RollupNames>;
  /** The next withdrawals of the bridge account, in their order. @param position 0 at the beginning. */
  read(position: bigint, level: Level, signal: AbortSignal): Promise<Batch>;
  sums(counted: Counted | undefined, signal: AbortSignal): Promise<RollupSums>;
}

/** The rollup, the sequencer and the settings do not fit together: people have to act. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
