import { balances } from '@switchyard/machine';
import { parseAddress, parseDenom, Rejected } from '@switchyard/protocol';
import { json, type RollupNode } from '@switchyard/rollup/node';
import type { Context, Hono } from 'hono';

/** Balance of an account in an asset. A route of the original messenger. */
export function balanceRoutes(app: Hono, node: RollupNode): void {
  const balance = (c: Context, asset: string | undefined): Response => {
    const account = parseAddress(c.req.param('address') ?? '');
    if (asset === undefined) throw new Rejected('malformed', { field: 'asset', expected: 'the name of an asset' });
    return json(String(balances.get(node.view.snapshot, [account, parseDenom(asset).id])));
  };
  app.get('/get_account_balance/:address', (c) => balance(c, c.req.query('asset')));
  // An asset may have slashes in it, percent-encoded or not.
  app.get('/get_account_balance/:address/:asset{.+}', (c) => balance(c, c.req.param('asset')));
}
