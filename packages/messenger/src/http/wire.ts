import { balances } from '@switchyard/machine';
import { parseDenom, Rejected } from '@switchyard/protocol';
import { accountParameter, integerQuery, json, parseU64, type RollupNode, u64Query } from '@switchyard/rollup';
import { HttpError, toJson } from '@switchyard/service';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../action.ts';
import { textById, textCount, textsFrom } from '../tables/texts.ts';
import { textJson } from './text-json.ts';

const RECENT = 1_000;

/** The routes of the original messenger, with its faults mended. */
export function wireRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  const balance = (address: string, asset: string | undefined): Response => {
    const account = accountParameter(address);
    if (asset === undefined) throw new Rejected('malformed', { field: 'asset', expected: 'the name of an asset' });
    return json(String(balances.get(node.view.snapshot, [account, parseDenom(asset).id])));
  };
  app.get('/get_account_balance/:address', (c) => balance(c.req.param('address'), c.req.query('asset')));
  // An asset may have slashes in it, percent-encoded or not.
  app.get('/get_account_balance/:address/:asset{.+}', (c) => balance(c.req.param('address'), c.req.param('asset')));

  app.get('/get_text_from_id/:id', (c) => {
    const id = parseU64('text id', c.req.param('id'));
    const text = textById(node.view.snapshot, id);
    if (text === undefined) throw new HttpError(404, 'not-found', `no text ${id}`);
    return json(`${text.name}:${text.text}`);
  });

  const recent = recentTexts(node);
  app.get('/recent', (c) => {
    const after = u64Query(c, 'after');
    const limit = integerQuery(c, 'limit', { min: 1, max: RECENT, fallback: RECENT });
    if (after === undefined && limit === RECENT) {
      return new Response(recent(), { headers: { 'content-type': 'application/json' } });
    }
    const { snapshot } = node.view;
    const first = after === undefined ? newestStart(textCount(snapshot), limit) : after + 1n;
    return json(textsFrom(snapshot, first, limit).map(textJson));
  });

  app.post('/message', () => {
    throw new HttpError(
      410,
      'unsigned',
      'this node signs for nobody: sign the text with your own key and POST it to /submit_transaction',
    );
  });
}

/** The answer that most clients want, made once for each block. */
function recentTexts(node: RollupNode<MessengerEvent>): () => string {
  let made: { readonly count: bigint; readonly body: string } | undefined;
  return () => {
    const { snapshot } = node.view;
    const count = textCount(snapshot);
    if (made?.count !== count) {
      const texts = textsFrom(snapshot, newestStart(count, RECENT), RECENT);
      made = { count, body: toJson(texts.map(textJson)) };
    }
    return made.body;
  };
}

function newestStart(count: bigint, limit: number): bigint {
  return count > BigInt(limit) ? count - BigInt(limit) : 0n;
}
