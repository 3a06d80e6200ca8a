import { transfer } from '@switchyard/machine';
import { mustNotBeBridge } from '../tables/bridge.ts';
import { mustHavePrefix } from '../tables/chain.ts';
import { sequencerHandler } from './handler.ts';

/** Moves an amount to another account. To a bridge account it makes no deposit. */
export const transferAction = sequencerHandler<'transfer'>({
  verify({ to }, { state, signer }) {
    mustHavePrefix(state, to);
    mustNotBeBridge(state, signer);
  },

  charges: ({ asset, amount }, { signer }) => [{ account: signer, asset: asset.id, amount }],

  apply({ to, asset, amount }, { state, signer }) {
    transfer(state, signer, to.account, asset.id, amount);
  },
});
