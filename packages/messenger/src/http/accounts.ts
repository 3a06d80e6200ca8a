import { formatAddress } from '@switchyard/protocol';
import { accountParameter, json, type RollupNode } from '@switchyard/rollup';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../actions/handler.ts';
import { nameOf } from '../tables/asset-names.ts';
import { balancesOf } from '../tables/balances.ts';

const MAX_ASSETS = 1_000;

/** Everything about one account. */
export function accountRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  app.get('/v1/accounts/:address', (c) => {
    const account = accountParameter(c.req.param('address'));
    const { snapshot } = node.view;
    const held = balancesOf(snapshot, account, MAX_ASSETS);
    return json({
      address: formatAddress(account),
      nonce: node.committedNonce(account),
      pendingNonce: node.nextNonce(account),
      balances: held.map(({ asset, amount }) => ({ asset: nameOf(snapshot, asset), amount: String(amount) })),
    });
  });
}
