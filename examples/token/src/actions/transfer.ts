import { action, address, asset, transfer as move, Rejected, u128 } from '@switchyard/rollup';

export const transfer = action({
  help: 'moves an amount of an asset to another account',
  fields: { to: address, asset, amount: u128 },
  check({ amount }) {
    if (amount === 0n) throw new Rejected('empty', { field: 'amount' });
  },
  spends: ({ asset: spent, amount }) => [{ asset: spent, amount }],
  execute({ to, asset: moved, amount }, { state, signer }) {
    move(state, signer, to, moved, amount);
  },
});
