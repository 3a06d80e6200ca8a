import { action, withdraw as burn, text, textAddress, textAsset, u128 } from '@switchyard/rollup';
import { checkWithdrawal, MAX_WITHDRAWAL_MEMO_BYTES } from '@switchyard/rollup/internal';
import { withdrawn } from '../events.ts';

/** Burns an amount of a bridged asset, which its bridge account pays on the sequencer. Free on the rollup. */
export const withdraw = action({
  help: 'burn an amount of a bridged asset, which its bridge account pays to an account of the sequencer',
  fields: { to: textAddress, amount: u128, asset: textAsset, memo: text({ maxBytes: MAX_WITHDRAWAL_MEMO_BYTES }) },

  check({ asset: { id: asset }, to, amount, memo }, { genesis }) {
    checkWithdrawal(genesis, { asset, amount, to, memo });
  },

  spends: ({ asset, amount }) => [{ asset: asset.id, amount }],

  execute({ asset: { id: asset }, to, amount, memo }, context) {
    burn(context.genesis, { asset, amount, to, memo }, context);
    withdrawn.emit(context, { to: to.account, asset, amount });
  },
});
