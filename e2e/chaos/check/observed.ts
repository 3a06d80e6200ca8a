/** One appearance of a transaction in a block of the rollup. */
export interface Execution {
  readonly id: string;
  readonly block: number;
  /** Undefined if the rollup does not say. */
  readonly index: number | undefined;
  readonly outcome: 'executed' | 'refused';
  readonly reason?: string;
  /** Cost to its sender besides the moved amount. */
  readonly fee: bigint;
}

export interface SequencerBlock {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
}

export interface RollupBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Hash of the sequencer block that it was made from, as the rollup reports it. */
  readonly sequencerHash: string;
}

/** An amount that must be equal to another. */
export interface Total {
  readonly name: string;
  readonly expected: bigint;
  readonly actual: bigint;
}

export interface Balance {
  readonly address: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** State of the chain at the end of a run, as any client can read it. */
export interface Observed {
  readonly executions: readonly Execution[];
  /** Heights of the sequencer blocks whose data for the rollup has a transaction, one for each copy. */
  readonly sequenced: ReadonlyMap<string, readonly number[]>;
  /**
   * Blocks of the rollup that refused a transaction for a cause that a later block can lift, such as a lack of gas: it may be
   * included again.
   */
  readonly postponed: ReadonlyMap<string, ReadonlySet<number>>;
  /** Texts that the rollup shows, by transaction. */
  readonly texts: ReadonlyMap<string, string>;
  /** Transactions executed since the load began, from any sender. */
  readonly executedInAll: number;
  readonly sequencerBlocks: readonly SequencerBlock[];
  readonly rollupBlocks: readonly RollupBlock[];
  /** Height of the sequencer block that rollup block 0 would be made from. */
  readonly genesisHeight: number;
  /** Deposits by transaction, if a block of the sequencer has them and they succeeded. */
  readonly deposits: ReadonlySet<string>;
  /** Units of the rollup's asset for one unit of the sequencer's. */
  readonly depositUnit: bigint;
  /** The rollup's name for the deposited asset. */
  readonly depositAsset: string;
  readonly balances: readonly Balance[];
  readonly totals: readonly Total[];
}

export interface Violation {
  readonly check: string;
  readonly detail: string;
}
