import { parseAnyAddress } from '@switchyard/protocol';
import { action, asset, withdraw as give, text, u128 } from '@switchyard/rollup';

/** The amount is paid on the sequencer by the bridge account that the genesis names for the asset. */
export const withdraw = action({
  help: 'takes an amount of a bridged asset back to an account of the sequencer',
  fields: { to: text({ maxBytes: 128 }), asset, amount: u128 },
  check: ({ to }) => void parseAnyAddress(to),
  spends: ({ asset: spent, amount }) => [{ asset: spent, amount }],
  execute({ to, asset: given, amount }, context) {
    give(context.genesis, { to: parseAnyAddress(to), asset: given, amount, memo: '' }, context);
  },
});
