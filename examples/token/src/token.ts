import { parseAddress, parseDenom } from '@switchyard/protocol';
import {
  address,
  asset,
  balances,
  credit,
  defineRollup,
  fallback,
  list,
  query,
  record,
  u128,
} from '@switchyard/rollup';
import { mint } from './actions/mint.ts';
import { transfer } from './actions/transfer.ts';
import { withdraw } from './actions/withdraw.ts';
import { COIN, owner, supply } from './state.ts';

/** A coin with an owner, and coins of the sequencer beside it. */
export const token = defineRollup({
  name: 'token',
  genesis: {
    owner: address,
    balances: fallback(list(record({ account: address, amount: u128 }), { maxItems: 1_000 }), []),
  },
  tables: [owner, supply],
  actions: { mint, transfer, withdraw },
  initialState(state, genesis) {
    owner.put(state, genesis.owner);
    for (const { account, amount } of genesis.balances) credit(state, account, COIN, amount);
    supply.put(
      state,
      genesis.balances.reduce((sum, { amount }) => sum + amount, 0n),
    );
  },
  onDeposit(deposit, state) {
    const account = parseAddress(deposit.destination);
    credit(state, account, parseDenom(deposit.asset).id, deposit.amount);
    return account;
  },
  queries: {
    balance: query({
      parameters: { account: address, asset: fallback(asset, COIN) },
      answer: { amount: u128 },
      handle: ({ account, asset: asked }, { state }) => ({ amount: balances.get(state, [account, asked]) }),
    }),
    supply: query({ answer: { amount: u128 }, handle: (_, { state }) => ({ amount: supply.get(state) }) }),
  },
});
