import type { Beside } from '@switchyard/rollup/node';
import type { schema } from '@switchyard/service/contract';
import type { NetworkPages } from '@switchyard/service/settings';
import * as contract from './contract.ts';
import { formerRows } from './former-rows.ts';
import { getFeeAssets, type MessengerGenesis } from './genesis.ts';
import { messengerApi, messengerRoutes } from './http/routes.ts';
import { texts } from './tables.ts';

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

/** Parts of a node besides the rules: how much is searched, and the routes of the chat page. */
export function besideMessenger(
  genesis: MessengerGenesis,
  { retainSearch, isDevelopment = false, links = {}, pages }: MessengerSettings = {},
): Beside {
  const { nativeAsset, withdrawals } = genesis;
  return {
    retainSearch,
    formerRows,
    api: messengerApi,
    reference: { contracts: [{ specifier: '@switchyard/messenger/contract', exports: contract }], pages },
    routes: (app, node) => messengerRoutes(app, node, { genesis, isDevelopment, links, pages }),
    status: {
      members: contract.status.members,
      of: (snapshot): schema.TypeOf<typeof contract.status> => ({
        nativeAsset: nativeAsset.text,
        feeAssets: getFeeAssets(genesis).map(({ text }) => text),
        ...(withdrawals && { withdrawals: withdrawals.map(({ asset }) => asset) }),
        texts: texts.count(snapshot),
        ...(isDevelopment && { unsignedMessages: true }),
        ...links,
      }),
    },
  };
}
