import { mustBeSudo } from '../tables/authority.ts';
import { feeComponents } from '../tables/fees.ts';
import { sequencerHandler } from './handler.ts';

/** Sets what one kind of action costs, which also enables it. */
export const feeChange = sequencerHandler<'feeChange'>({
  verify(_, { state, signer }) {
    mustBeSudo(state, signer);
  },

  apply({ action, base, multiplier }, { state, emit }) {
    feeComponents.put(state, action, { base, multiplier });
    emit({ kind: 'feesChanged' });
  },
});
