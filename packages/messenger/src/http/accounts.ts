import { formatAddress } from '@switchyard/protocol';
import { addressParameter, type RollupNode } from '@switchyard/rollup';
import { type AnyRoute, route } from '@switchyard/service/api';
import type { MessengerEvent } from '../actions/handler.ts';
import { nameOf } from '../tables/asset-names.ts';
import { balancesOf } from '../tables/balances.ts';
import { accountSchema } from './schemas.ts';

const MAX_ASSETS = 1_000;

/** Nonces and balances of one account. */
export function accountRoute(node: RollupNode<MessengerEvent>): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/accounts/{address}',
    id: 'getAccount',
    tag: 'Accounts',
    summary: 'The nonces of an account and all it holds',
    path: { address: addressParameter },
    answers: { 200: accountSchema },
    handle({ path: { address: account } }) {
      const { snapshot } = node.view;
      const held = balancesOf(snapshot, account, MAX_ASSETS);
      const body = {
        address: formatAddress(account),
        nonce: node.committedNonce(account),
        pendingNonce: node.nextNonce(account),
        balances: held.map(({ asset, amount }) => ({ asset: nameOf(snapshot, asset), amount: String(amount) })),
      };
      return { status: 200, body };
    },
  });
}
