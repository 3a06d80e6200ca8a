import { address, credit, defineRollup, fallback, list, record, u128 } from '@switchyard/rollup';
import { cancel } from './actions/cancel.ts';
import { place } from './actions/place.ts';
import { balance, best, depth, orderList, tradeList } from './queries.ts';
import { APPLES, book, MONEY, newest, places, trades } from './state.ts';

/** A market of one pair: limit orders, matched by price and then by time. */
export const orderbook = defineRollup({
  name: 'orderbook',
  genesis: {
    balances: fallback(list(record({ account: address, apples: u128, money: u128 }), { maxItems: 1_000 }), []),
  },
  tables: [book, places, newest, trades],
  actions: { place, cancel },
  queries: { balance, best, depth, orderList, tradeList },
  initialState(state, genesis) {
    for (const { account, apples, money } of genesis.balances) {
      credit(state, account, APPLES, apples);
      credit(state, account, MONEY, money);
    }
  },
});
