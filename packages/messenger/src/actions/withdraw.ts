import { checkWithdrawal, withdraw } from '@switchyard/rollup';
import type { MessengerGenesis } from '../genesis.ts';
import type { MessengerHandler } from './handler.ts';

/** Burns an amount of a bridged asset, which its bridge account pays on the sequencer. Free on the rollup. */
export function withdrawHandler(genesis: MessengerGenesis): MessengerHandler<'withdraw'> {
  return {
    check({ to, amount, asset, memo }) {
      checkWithdrawal(genesis, { asset: asset.id, amount, to, memo });
    },

    spends: ({ asset, amount }) => [{ asset: asset.id, amount }],

    execute({ to, amount, asset, memo }, context) {
      withdraw(genesis, { asset: asset.id, amount, to, memo }, context);
      context.emit({ kind: 'withdrawal', to: to.account, asset: asset.id, amount });
    },
  };
}
