import { Rejected } from '@switchyard/protocol';
import { mustBePostable } from '../tables/chain.ts';
import { sequencerHandler } from './handler.ts';

/** Puts bytes into the block for a rollup, without interpreting them. */
export const rollupDataSubmission = sequencerHandler<'rollupDataSubmission'>({
  check({ data }) {
    if (data.length === 0) throw new Rejected('empty', { field: 'data' });
  },

  verify({ rollup }, { state }) {
    mustBePostable(state, rollup);
  },

  feeUnits: ({ data }) => BigInt(data.length),

  apply({ rollup, data }, { emit }) {
    emit({ kind: 'data', rollup, data });
  },
});
