import type { Observed } from '../check/observed.ts';

/** What a rollup shows at the end of a run. */
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
  /** What all its accounts hold, with what was destroyed and without what was deposited. */
  readonly supply: bigint;
  /** What its genesis gave out, which `supply` has to be. */
  readonly genesisSupply: bigint;
  /** What of its money came from deposits, in units of the sequencer. */
  readonly deposited: bigint;
}
