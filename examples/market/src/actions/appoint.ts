import { action, address, bool, Rejected } from '@switchyard/rollup';
import type { Context } from '../rules.ts';
import { oracles } from '../state.ts';

export const appoint = action({
  help: 'lets an account open markets, or no longer',
  fields: { account: address, isActive: bool },
  execute({ account, isActive }, { state, signer, genesis }: Context) {
    if (signer !== genesis.operator) throw new Rejected('unauthorized', { action: 'appoint' });
    oracles.put(state, account, { ...oracles.get(state, account), isActive });
  },
});
