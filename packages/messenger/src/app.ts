import { credit } from '@switchyard/machine';
import { defineRollup } from '@switchyard/rollup';
import type { schema } from '@switchyard/service/contract';
import type { NetworkPages } from '@switchyard/service/settings';
import type { MessengerEvent } from './actions/handler.ts';
import { handlerFor, messengerHandlers } from './actions/registry.ts';
import * as contract from './contract.ts';
import { creditDeposit } from './deposit.ts';
import type { MessengerGenesis } from './genesis.ts';
import { messengerApi, messengerRoutes } from './http/routes.ts';
import { rememberName } from './tables/asset-names.ts';
import { journalIndex, writeJournal } from './tables/journal.ts';
import { textIndex } from './tables/text-index.ts';
import { textCount, writeGreeting, writeTexts } from './tables/texts.ts';
import { decodeBody } from './wire/body.ts';
import { BODY_TYPE_URL, MAX_TRANSACTION_BYTES } from './wire/limits.ts';
import type { MessengerAction } from './wire/registry.ts';

/** Settings that may differ between nodes: nothing of them is in the state. */
export interface MessengerSettings {
  /** Newest messages, and newest entries of histories, that are indexed; all, if undefined. */
  readonly retainSearch?: bigint;
  /** Whether the node signs unsigned messages with the public key of a development account. */
  readonly isDevelopment?: boolean;
  /** URLs that the chat page uses. */
  readonly links?: { readonly faucet?: string; readonly explorer?: string };
  /** Pages of the network, for the menu of the chat page. */
  readonly pages?: NetworkPages | undefined;
}

/** The messenger: accounts with balances and nonces, transfers, messages, deposits from the sequencer and withdrawals to it. */
export function messenger(
  genesis: MessengerGenesis,
  { retainSearch, isDevelopment = false, links = {}, pages }: MessengerSettings = {},
) {
  const { accounts, nativeAsset, feeAssets = [nativeAsset] } = genesis;
  const handlers = messengerHandlers(genesis);
  const texts = textIndex(retainSearch);
  const journal = journalIndex(retainSearch);

  return defineRollup<MessengerAction, MessengerEvent>({
    name: 'messenger',
    genesis,

    // A signature over a body that holds nonce, chain id and actions.
    transactions: {
      typeUrl: BODY_TYPE_URL,
      maxBytes: MAX_TRANSACTION_BYTES,
      decodeBody: (body) => decodeBody(body, genesis.withdrawals !== undefined),
    },
    actions: handlers,
    spends: (action) => handlerFor(handlers, action).spends(action),

    // State: nonces and balances.
    initialState(state) {
      for (const { account, balance } of accounts) credit(state, account, nativeAsset.id, balance);
    },
    onDeposit: creditDeposit,

    // Besides the state: the messages. A block's hash commits to them through its transactions.
    onGenesis(state) {
      rememberName(state, nativeAsset);
      writeGreeting(state);
    },
    onBlock(block, state) {
      writeTexts(state, block);
      writeJournal(state, block);
      for (const index of [texts, journal]) index.advance(state);
    },

    api: (node) => messengerApi(node, { texts, journal }),
    reference: { contracts: [{ specifier: '@switchyard/messenger/contract', exports: contract }], pages },
    routes: (app, node) => messengerRoutes(app, node, { genesis, isDevelopment, links, pages }),
    status: {
      members: contract.status.members,
      of: (snapshot): schema.TypeOf<typeof contract.status> => ({
        nativeAsset: nativeAsset.text,
        feeAssets: feeAssets.map(({ text }) => text),
        ...(genesis.withdrawals && { withdrawals: genesis.withdrawals.map(({ asset }) => asset) }),
        texts: textCount(snapshot),
        ...(isDevelopment && { unsignedMessages: true }),
        ...links,
      }),
    },
  });
}
