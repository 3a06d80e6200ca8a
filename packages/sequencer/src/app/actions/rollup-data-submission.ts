import { type ActionOf, Rejected } from '@switchyard/protocol';
import { sequencerHandler } from './handler.ts';

/** Puts bytes into the block for a rollup. Nothing looks at them. */
export const rollupDataSubmission = sequencerHandler<ActionOf<'rollupDataSubmission'>>({
  check({ data }) {
    if (data.length === 0) throw new Rejected('empty', { field: 'data' });
  },

  verify() {},

  apply({ rollup, data }, { emit }) {
    emit({ kind: 'data', rollup, data });
  },
});
