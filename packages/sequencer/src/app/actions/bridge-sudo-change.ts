import { Rejected } from '@switchyard/protocol';
import { bridgeOf, bridges } from '../tables/bridge.ts';
import { mustHavePrefix } from '../tables/chain.ts';
import { sequencerHandler } from './handler.ts';

/** Changes the keys of a bridge account, and whether it accepts deposits: each of these actions sets that flag. */
export const bridgeSudoChange = sequencerHandler<'bridgeSudoChange'>({
  verify({ bridge, newSudo, newWithdrawer }, { state, signer }) {
    mustHavePrefix(state, bridge);
    if (newSudo !== undefined) mustHavePrefix(state, newSudo);
    if (newWithdrawer !== undefined) mustHavePrefix(state, newWithdrawer);
    const { sudo } = bridgeOf(state, bridge.account);
    if (signer !== sudo) throw new Rejected('unauthorized', { signer, expected: sudo });
  },

  apply({ bridge, newSudo, newWithdrawer, disableDeposits }, { state }) {
    const row = bridgeOf(state, bridge.account);
    bridges.put(state, bridge.account, {
      ...row,
      sudo: newSudo?.account ?? row.sudo,
      withdrawer: newWithdrawer?.account ?? row.withdrawer,
      depositsDisabled: disableDeposits,
    });
  },
});
