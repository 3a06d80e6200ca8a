import { toHex, txHashFromBytes } from '@switchyard/protocol';
import { executedAt, json, parameter, provenBlock, type RollupNode, toPage } from '@switchyard/rollup/node';
import { HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema, serve } from '@switchyard/service/api';
import { unsigned } from '@switchyard/service/input';
import type { Hono } from 'hono';
import { getMessage, message } from '../contract.ts';
import { type Text, texts, textsFrom } from '../tables.ts';
import { textJson } from './text-json.ts';

const MAX_PAGE = 1_000;
const getText = {
  ...{ ...getMessage, url: '/v1/texts/{id}', id: 'getText', query: {} },
  ...{ answers: { 200: message }, errors: { 404: 'There is no such message yet' } },
};

/** Messages by id, and in pages, oldest first: the routes from before `/v1/messages`. */
export function textRoutes(node: RollupNode): readonly AnyRoute[] {
  const list = route({
    method: 'get',
    url: '/v1/texts',
    id: 'listTexts',
    tag: 'Messages',
    summary: 'Messages, oldest first',
    query: {
      before: schema.optional(schema.u64Digits('Only messages before this id')),
      after: schema.optional(schema.u64Digits('Only messages after this id; without it, the newest')),
      limit: schema.optional(schema.integer('Messages of the page', { min: 1, max: MAX_PAGE }), 100),
    },
    answers: {
      200: schema.object({ texts: schema.list(message), total: schema.u64('Messages in all') }, { name: 'TextPage' }),
    },
    handle({ query }) {
      const { snapshot } = node.view;
      const total = texts.count(snapshot);
      const { first, last } = toPage({ first: 0n, next: total }, query);
      const found = last < first ? [] : textsFrom(snapshot, first, Number(last - first) + 1);
      return { status: 200, body: { texts: found.map(textJson), total } };
    },
  });
  return [list, messageRoute(node)];
}

/** One message, and the position of its bytes in the sequencer block. */
export const provenMessageRoute = (node: RollupNode): AnyRoute =>
  serve(getMessage, ({ path: { id }, query: { proof } }) => {
    const text = byId(node, id);
    if (proof === undefined) return { status: 200, body: textJson(text), etag: toTag(text) };
    return { status: 200, body: { ...textJson(text), ...toInclusion(node, text) }, etag: `${toTag(text)}-proof` };
  });

function toInclusion(node: RollupNode, { id, block, transaction }: Text) {
  if (block === 0n) throw new HttpError(404, 'not-found', `message ${id} is of the genesis: no block has it`);
  const position = executedAt(node.view.snapshot, block, txHashFromBytes(transaction));
  if (position === undefined)
    throw new HttpError(410, 'pruned', `the receipts of block ${block} are not kept by this node`);
  return { inclusion: { block: provenBlock(node, block), position } };
}

const toTag = ({ id, block, transaction }: Text): string => `${id}-${block === 0n ? 'genesis' : toHex(transaction)}`;

/** One message, which never changes. */
const messageRoute = (node: RollupNode): AnyRoute =>
  serve(getText, ({ path: { id } }) => {
    const text = byId(node, id);
    return { status: 200, body: textJson(text), etag: toTag(text) };
  });

/** A route of the original messenger. */
export function textFromIdRoute(app: Hono, node: RollupNode): void {
  app.get('/get_text_from_id/:id', (c) => {
    const { name, text } = byId(node, parameter('text id', c.req.param('id'), unsigned(64)));
    return json(`${name}:${text}`);
  });
}

function byId(node: RollupNode, id: bigint): Text {
  const text = texts.get(node.view.snapshot, id);
  if (text === undefined) throw new HttpError(404, 'not-found', `no text ${id}`);
  return text;
}
