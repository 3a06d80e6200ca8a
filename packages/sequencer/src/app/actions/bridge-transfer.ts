import { transfer } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';
import { announceDeposit } from '../deposits.ts';
import { fullNameOf } from '../tables/assets.ts';
import { bridgeOf, recordWithdrawal } from '../tables/bridge.ts';
import { checkWithdrawal, verifyWithdrawal, withdrawalCharges } from '../withdrawal.ts';
import { sequencerHandler } from './handler.ts';

/** Pays a rollup's withdrawal straight into another bridge account, as a deposit to that one's rollup. */
export const bridgeTransfer = sequencerHandler<'bridgeTransfer'>({
  check(action) {
    checkWithdrawal(action);
    if (action.destination === '') throw new Rejected('empty', { field: 'destination_chain_address' });
  },

  verify(action, context) {
    const from = verifyWithdrawal(action, context);
    const to = bridgeOf(context.state, action.to.account);
    if (to.asset !== from.asset) throw new Rejected('wrong-asset', { expected: to.asset, got: from.asset });
    if (to.depositsDisabled) throw new Rejected('deposits-disabled', { bridge: action.to.account });
  },

  charges: withdrawalCharges,

  apply({ bridge, to, amount, destination, rollupBlockNumber, withdrawalEvent }, context) {
    const { state } = context;
    const { asset } = bridgeOf(state, bridge.account);
    const name = fullNameOf(state, asset);
    transfer(state, bridge.account, to.account, asset, amount);
    recordWithdrawal(state, bridge.account, withdrawalEvent, rollupBlockNumber);
    announceDeposit({ bridge: to.account, asset: name, amount, destination }, context);
  },
});
