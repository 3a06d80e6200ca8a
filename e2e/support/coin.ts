import { parseAddress, parseDenom } from '@switchyard/protocol';
import { action, address, asset, credit, defineRollup, transfer, u128 } from '@switchyard/rollup';

/** A rollup that commands get as the module of its definition: accounts hold deposits, and pay each other. */
export const coin = defineRollup({
  name: 'coin',
  actions: {
    pay: action({
      fields: { to: address, asset, amount: u128 },
      spends: ({ asset: id, amount }) => [{ asset: id, amount }],
      execute: ({ to, asset: id, amount }, { state, signer }) => transfer(state, signer, to, id, amount),
    }),
  },
  onDeposit({ destination, asset: denom, amount }, state) {
    const account = parseAddress(destination);
    credit(state, account, parseDenom(denom).id, amount);
    return account;
  },
});
