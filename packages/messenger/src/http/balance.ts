import { balances } from '@switchyard/machine';
import { parseDenom, Rejected } from '@switchyard/protocol';
import { accountParameter, json, type RollupNode } from '@switchyard/rollup';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../actions/handler.ts';

/** Balance of an account in an asset. A route of the original messenger. */
export function balanceRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  const balance = (address: string, asset: string | undefined): Response => {
    const account = accountParameter(address);
    if (asset === undefined) throw new Rejected('malformed', { field: 'asset', expected: 'the name of an asset' });
    return json(String(balances.get(node.view.snapshot, [account, parseDenom(asset).id])));
  };
  app.get('/get_account_balance/:address', (c) => balance(c.req.param('address'), c.req.query('asset')));
  // An asset may have slashes in it, percent-encoded or not.
  app.get('/get_account_balance/:address/:asset{.+}', (c) => balance(c.req.param('address'), c.req.param('asset')));
}
