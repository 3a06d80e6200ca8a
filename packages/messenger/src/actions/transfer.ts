import { DEFAULT_PREFIX } from '@switchyard/protocol';
import { action, transfer as move, Rejected, textAddress, textAsset, u128 } from '@switchyard/rollup';
import { transferred } from '../events.ts';

/** Moves an amount of any asset that the signer holds. Free; an amount of zero and transfers to oneself are allowed. */
export const transfer = action({
  help: 'send an amount to another account; it costs nothing, with any fee asset',
  fields: { to: textAddress, amount: u128, asset: textAsset, feeAsset: textAsset },

  check({ to }) {
    if (to.prefix === DEFAULT_PREFIX) return;
    throw new Rejected('malformed', { field: 'to', expected: `prefix ${DEFAULT_PREFIX}`, got: `prefix ${to.prefix}` });
  },

  spends: ({ asset, amount }) => [{ asset: asset.id, amount }],

  execute({ to: { account: to }, asset: { id: asset }, amount }, context) {
    move(context.state, context.signer, to, asset, amount);
    transferred.emit(context, { to, asset, amount });
  },
});
