import { getNonce } from '@switchyard/client/rollup-contract';
import { parseAddress } from '@switchyard/protocol';
import { type AnyRoute, serve } from '@switchyard/service/api';
import { optional, words } from '@switchyard/service/input';
import type { Hono } from 'hono';
import type { RollupNode } from '../node.ts';
import { json, parameter } from './parameters.ts';

const STATE = optional(words('committed', 'pending'));

/** The next nonce of an account, at the path from before `/v1`. */
export function legacyNonce(app: Hono, node: RollupNode): void {
  app.get('/get_account_nonce/:address', (c) => {
    const account = parseAddress(c.req.param('address'));
    const committed = parameter('state', c.req.query('state'), STATE) === 'committed';
    return json(String(committed ? node.committedNonce(account) : node.nextNonce(account)));
  });
}

/** Every signer of a rollup's transactions needs it. */
export const nonceRoute = (node: RollupNode): AnyRoute =>
  serve(getNonce, ({ path: { address } }) => ({
    status: 200,
    body: { nonce: node.nextNonce(parseAddress(address)), block: node.view.soft, chainId: node.genesis.chainId },
  }));
