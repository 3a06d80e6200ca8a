import { integerQuery, json, parseU64, type RollupNode, u64Query } from '@switchyard/rollup';
import { HttpError } from '@switchyard/service';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../actions/handler.ts';
import { type Text, textById, textCount, textsFrom } from '../tables/texts.ts';
import { textJson } from './text-json.ts';

const MAX_PAGE = 1_000;

/** Messages by id, and in pages. */
export function textRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  app.get('/v1/texts', (c) => {
    const limit = integerQuery(c, 'limit', { min: 1, max: MAX_PAGE, fallback: 100 });
    const { first, limit: available } = page(textCount(node.view.snapshot), {
      after: u64Query(c, 'after'),
      before: u64Query(c, 'before'),
      limit,
    });
    const texts = available === 0 ? [] : textsFrom(node.view.snapshot, first, available);
    return json({ texts: texts.map(textJson), total: textCount(node.view.snapshot) });
  });

  const byId = (parameter: string): Text => {
    const id = parseU64('text id', parameter);
    const text = textById(node.view.snapshot, id);
    if (text === undefined) throw new HttpError(404, 'not-found', `no text ${id}`);
    return text;
  };
  app.get('/v1/texts/:id', (c) => json(textJson(byId(c.req.param('id')))));
  // A route of the original messenger.
  app.get('/get_text_from_id/:id', (c) => {
    const { name, text } = byId(c.req.param('id'));
    return json(`${name}:${text}`);
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
