import type { TransactionOutcome } from '@switchyard/client/rollup';

/** Outcome of a transaction, as `--json` shows it: heights are numbers, which hold every height there will be. */
export function shownOutcome({ state, block, sequencerHeight, reason }: TransactionOutcome) {
  return {
    state,
    ...(block === undefined ? {} : { block: Number(block) }),
    ...(sequencerHeight === undefined ? {} : { sequencerHeight: Number(sequencerHeight) }),
    ...(reason === undefined ? {} : { reason }),
  };
}
