import { integerQuery, json, parseU64, type RollupNode, u64Query } from '@switchyard/rollup';
import { HttpError } from '@switchyard/service';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../action.ts';
import { textById, textCount, textsFrom } from '../tables/texts.ts';
import { textJson } from './text-json.ts';

const MOST = 1_000;

/** Texts by id, and in pages. */
export function textRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  app.get('/v1/texts', (c) => {
    const limit = integerQuery(c, 'limit', { min: 1, max: MOST, fallback: 100 });
    const { first, limit: most } = page(textCount(node.view.snapshot), {
      after: u64Query(c, 'after'),
      before: u64Query(c, 'before'),
      limit,
    });
    const texts = most === 0 ? [] : textsFrom(node.view.snapshot, first, most);
    return json({ texts: texts.map(textJson), total: textCount(node.view.snapshot) });
  });

  app.get('/v1/texts/:id', (c) => {
    const id = parseU64('text id', c.req.param('id'));
    const text = textById(node.view.snapshot, id);
    if (text === undefined) throw new HttpError(404, 'not-found', `no text ${id}`);
    return json(textJson(text));
  });
}

interface Page {
  readonly after: bigint | undefined;
  readonly before: bigint | undefined;
  readonly limit: number;
}

/** The first id and the number of texts. With `after` the page begins there, else it ends at `before` or the newest. */
export function page(
  count: bigint,
  { after, before, limit }: Page,
): { readonly first: bigint; readonly limit: number } {
  const end = before === undefined || before > count ? count : before;
  const first = after === undefined ? end - BigInt(limit) : after + 1n;
  const start = first < 0n ? 0n : first;
  const available = end > start ? end - start : 0n;
  return { first: start, limit: available < BigInt(limit) ? Number(available) : limit };
}
