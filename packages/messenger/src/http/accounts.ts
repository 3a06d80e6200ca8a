import { formatAddress } from '@switchyard/protocol';
import { addressParameter, type RollupNode } from '@switchyard/rollup';
import { type AnyRoute, serve } from '@switchyard/service/api';
import type { MessengerEvent } from '../actions/handler.ts';
import { getAccount } from '../contract.ts';
import { nameOf } from '../tables/asset-names.ts';
import { balancesOf } from '../tables/balances.ts';

const MAX_ASSETS = 1_000;

/** Nonces and balances of one account. */
export const accountRoute = (node: RollupNode<MessengerEvent>): AnyRoute =>
  serve({ ...getAccount, path: { address: addressParameter } }, ({ path: { address: account } }) => {
    const { snapshot } = node.view;
    const held = balancesOf(snapshot, account, MAX_ASSETS);
    const body = {
      address: formatAddress(account),
      nonce: node.committedNonce(account),
      pendingNonce: node.nextNonce(account),
      balances: held.map(({ asset, amount }) => ({ asset: nameOf(snapshot, asset), amount: String(amount) })),
    };
    return { status: 200, body };
  });
