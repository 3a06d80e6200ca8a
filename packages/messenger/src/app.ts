import { credit } from '@switchyard/machine';
import { defineRollup } from '@switchyard/rollup';
import type { MessengerAction, MessengerEvent } from './action.ts';
import { sendTextAction } from './actions/send-text.ts';
import { transferAction } from './actions/transfer.ts';
import { decodeBody } from './body.ts';
import { creditDeposit } from './deposit.ts';
import type { MessengerGenesis } from './genesis.ts';
import { messengerRoutes } from './http/routes.ts';
import { BODY_TYPE_URL, MAX_TRANSACTION_BYTES, TEXT_FEE } from './limits.ts';
import { rememberName } from './tables/asset-names.ts';
import { textCount, writeGreeting, writeTexts } from './tables/texts.ts';

/** The messenger: accounts with balances and nonces, transfers, texts, and deposits from the sequencer. */
export function messenger(genesis: MessengerGenesis) {
  const { accounts, nativeAsset, feeAssets = [nativeAsset] } = genesis;

  return defineRollup<MessengerAction, MessengerEvent>({
    name: 'messenger',
    genesis,

    // A signature over a body that holds nonce, chain id and actions.
    transactions: { typeUrl: BODY_TYPE_URL, maxBytes: MAX_TRANSACTION_BYTES, decodeBody },
    actions: { transfer: transferAction, sendText: sendTextAction(feeAssets) },
    spends: (action) =>
      action.kind === 'transfer'
        ? [{ asset: action.asset.id, amount: action.amount }]
        : [{ asset: action.feeAsset.id, amount: TEXT_FEE }],

    // State: nonces and balances.
    initialState(state) {
      for (const { account, balance } of accounts) credit(state, account, nativeAsset.id, balance);
    },
    onDeposit: creditDeposit,

    // Beside the state: the texts. A block's hash commits to them through its transactions.
    onGenesis(state) {
      rememberName(state, nativeAsset);
      writeGreeting(state);
    },
    onBlock: (block, state) => writeTexts(state, block),

    routes: messengerRoutes,
    status: (snapshot) => ({
      nativeAsset: nativeAsset.text,
      feeAssets: feeAssets.map(({ text }) => text),
      texts: textCount(snapshot),
    }),
  });
}
