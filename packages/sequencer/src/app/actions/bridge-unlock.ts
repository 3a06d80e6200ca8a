import { transfer } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';
import { bridgeOf, mustNotBeBridge, recordWithdrawal } from '../tables/bridge.ts';
import { checkWithdrawal, verifyWithdrawal, withdrawalCharges } from '../withdrawal.ts';
import { sequencerHandler } from './handler.ts';

const MAX_MEMO_BYTES = 64;

/** Pays a rollup's withdrawal out of its bridge account, once for each of the rollup's events. */
export const bridgeUnlock = sequencerHandler<'bridgeUnlock'>({
  check(action) {
    checkWithdrawal(action);
    const length = Buffer.byteLength(action.memo);
    if (length > MAX_MEMO_BYTES) {
      throw new Rejected('malformed', {
        field: 'memo',
        expected: `at most ${MAX_MEMO_BYTES} bytes`,
        got: `${length} bytes`,
      });
    }
  },

  verify(action, context) {
    verifyWithdrawal(action, context);
    mustNotBeBridge(context.state, action.to.account);
  },

  charges: withdrawalCharges,

  apply({ bridge, to, amount, rollupBlockNumber, withdrawalEvent }, { state }) {
    transfer(state, bridge.account, to.account, bridgeOf(state, bridge.account).asset, amount);
    recordWithdrawal(state, bridge.account, withdrawalEvent, rollupBlockNumber);
  },
});
