import { json, parameter, type RollupNode } from '@switchyard/rollup/node';
import { toJson } from '@switchyard/service';
import { integer, optional, unsigned } from '@switchyard/service/input';
import type { Hono } from 'hono';
import { texts, textsFrom } from '../tables.ts';
import { textJson } from './text-json.ts';

const RECENT = 1_000;
const AFTER = optional(unsigned(64));
const LIMIT = optional(integer({ min: 1, max: RECENT }), RECENT);

/** The newest messages, or those after one. A route of the original messenger. */
export function recentRoute(app: Hono, node: RollupNode): void {
  const recent = recentTexts(node);
  app.get('/recent', (c) => {
    const after = parameter('after', c.req.query('after'), AFTER);
    const limit = parameter('limit', c.req.query('limit'), LIMIT);
    if (after === undefined && limit === RECENT) {
      return new Response(recent(), { headers: { 'content-type': 'application/json' } });
    }
    const { snapshot } = node.view;
    const first = after === undefined ? newestStart(texts.count(snapshot), limit) : after + 1n;
    return json(textsFrom(snapshot, first, limit).map(textJson));
  });
}

/** The answer that most clients want, made once for each block. */
function recentTexts(node: RollupNode): () => string {
  let made: { readonly count: bigint; readonly body: string } | undefined;
  return () => {
    const { snapshot } = node.view;
    const count = texts.count(snapshot);
    if (made?.count !== count) {
      const newest = textsFrom(snapshot, newestStart(count, RECENT), RECENT);
      made = { count, body: toJson(newest.map(textJson)) };
    }
    return made.body;
  };
}

function newestStart(count: bigint, limit: number): bigint {
  return count > BigInt(limit) ? count - BigInt(limit) : 0n;
}
