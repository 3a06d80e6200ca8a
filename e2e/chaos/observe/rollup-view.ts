import type { Observed } from '../check/observed.ts';

/** State of a rollup at the end of a run. */
export interface RollupView
  extends Pick<
    Observed,
    | 'executions'
    | 'postponed'
    | 'texts'
    | 'executedInAll'
    | 'rollupBlocks'
    | 'balances'
    | 'depositUnit'
    | 'depositAsset'
  > {
  /** Total that its accounts hold, plus destroyed and minus deposited amounts. */
  readonly supply: bigint;
  /** Total that its genesis gave out, which `supply` has to be. */
  readonly genesisSupply: bigint;
  /** Part of its money that came from deposits, in units of the sequencer. */
  readonly deposited: bigint;
}
