import { parseAddress, parseDenom } from '@switchyard/protocol';
import { credit, defineRollup } from '@switchyard/rollup';
import { actions } from './actions/all.ts';
import { events } from './events.ts';
import { amountOf, genesis } from './genesis.ts';
import { MAX_ACTIONS, wire } from './limits.ts';
import { journal, onBlock, texts } from './tables.ts';

/** The messenger, by its rules alone: they run in clients too. A node adds pages, routes and a search. */
export const messenger = defineRollup({
  name: 'messenger',
  help: 'messages, transfers, deposits from the sequencer and withdrawals to it',
  // The bytes of the reference: a signature over nonce, chain id and actions.
  wire,
  maxActions: MAX_ACTIONS,
  genesis,
  actions,
  events,
  tables: [texts, journal],
  onBlock,

  initialState(state, { accounts, nativeAsset }) {
    for (const { address, balance } of accounts) credit(state, address.bech32m, nativeAsset.id, amountOf(balance));
  },

  onDeposit({ destination, asset, amount }, state) {
    const account = parseAddress(destination);
    credit(state, account, parseDenom(asset).id, amount);
    return account;
  },
});
