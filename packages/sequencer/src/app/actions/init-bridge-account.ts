import { Rejected } from '@switchyard/protocol';
import { bridges } from '../tables/bridge.ts';
import { mustBePostable, mustHavePrefix } from '../tables/chain.ts';
import { sequencerHandler } from './handler.ts';

/** Ties the signer's own account to a rollup and an asset, for ever. */
export const initBridgeAccount = sequencerHandler<'initBridgeAccount'>({
  verify({ rollup, sudo, withdrawer }, { state, signer }) {
    mustBePostable(state, rollup);
    if (sudo !== undefined) mustHavePrefix(state, sudo);
    if (withdrawer !== undefined) mustHavePrefix(state, withdrawer);
    if (bridges.has(state, signer)) throw new Rejected('already-a-bridge', { account: signer });
  },

  apply({ rollup, asset, sudo, withdrawer }, { state, signer }) {
    bridges.put(state, signer, {
      rollup,
      asset: asset.id,
      sudo: sudo?.account ?? signer,
      withdrawer: withdrawer?.account ?? signer,
      depositsDisabled: false,
    });
  },
});
