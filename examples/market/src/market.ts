import { parseAddress, parseDenom } from '@switchyard/protocol';
import { credit, defineRollup } from '@switchyard/rollup';
import { appoint } from './actions/appoint.ts';
import { cancel } from './actions/cancel.ts';
import { close, lapse } from './actions/deadlines.ts';
import { open } from './actions/open.ts';
import { order } from './actions/order.ts';
import { resolve } from './actions/resolve.ts';
import { claim, redeem } from './actions/shares.ts';
import { withdraw } from './actions/withdraw.ts';
import { newest } from './book.ts';
import { balance, depth, holdings, marketList, marketNamed, marketsWith, ordersOf } from './queries.ts';
import { genesis, nameTaken, notOpen, opened, paid, settled, tooEarly, tooSmall, traded } from './rules.ts';
import { book, markets, names, oracles, places, positions } from './state.ts';

/** A prediction market: shares of two outcomes, of which the right one pays. */
export const market = defineRollup({
  name: 'market',
  genesis,
  tables: [markets, names, oracles, book, places, newest, positions],
  actions: { appoint, open, order, cancel, redeem, close, resolve, lapse, claim, withdraw },
  events: [opened, traded, settled, paid],
  refusals: [notOpen, tooEarly, tooSmall, nameTaken],
  queries: { balance, depth, holdings, marketList, marketNamed, marketsWith, ordersOf },
  initialState(state, { balances }) {
    for (const { account, asset, amount } of balances) credit(state, account, asset, amount);
  },
  onDeposit({ destination, asset, amount }, state) {
    const account = parseAddress(destination);
    credit(state, account, parseDenom(asset).id, amount);
    return account;
  },
});
