import { addressParameter, findEntries, queryWords, type RollupNode, toPage } from '@switchyard/rollup/node';
import { toJson } from '@switchyard/service';
import { type AnyRoute, Rendered, schema, serve } from '@switchyard/service/api';
import type { AnswerOf } from '@switchyard/service/contract';
import { listMessages } from '../contract.ts';
import { texts, textsFrom } from '../tables.ts';
import { textJson } from './text-json.ts';
import { provenMessageRoute } from './texts.ts';

/** Sizes of the newest page that are made once. */
const MAX_SIZES_KEPT = 8;

const contract = {
  ...listMessages,
  query: { ...listMessages.query, sender: schema.optional(addressParameter) },
};
type MessagePage = AnswerOf<typeof listMessages>;

/** Messages newest first: all, those of an account, those with some words. */
export function messageRoutes(node: RollupNode): readonly AnyRoute[] {
  const newestPage = newestPages(node);
  const list = serve(contract, async ({ query: { sender, q, ...page } }) => {
    const isWhole = sender === undefined && q === undefined;
    const isNewest = isWhole && page.before === undefined && page.after === undefined;
    if (isNewest) return { status: 200, body: newestPage(page.limit) };
    const wanted = {
      ...(q !== undefined && { words: queryWords(q) }),
      ...(sender !== undefined && { by: { sender } }),
    };
    const { items, older, newer } = isWhole
      ? paged(node, page)
      : await findEntries(node, texts, { ...page, ...wanted });
    const total = texts.count(node.view.snapshot);
    return { status: 200, body: { messages: items.map(textJson), older, newer: newer < 0n ? null : newer, total } };
  });
  return [list, provenMessageRoute(node)];
}

type Page = Parameters<typeof toPage>[1];

/** The answer that most clients want, made once for each size and number of messages. */
function newestPages(node: RollupNode): (limit: number) => Rendered<MessagePage> {
  let made = new Map<number, Rendered<MessagePage>>();
  let madeFor = -1n;
  return (limit) => {
    const total = texts.count(node.view.snapshot);
    if (madeFor !== total) made = new Map();
    madeFor = total;
    const known = made.get(limit);
    if (known !== undefined) return known;
    const { items, older, newer } = paged(node, { limit });
    const page: MessagePage = { messages: items.map(textJson), older, newer, total };
    const rendered = new Rendered<typeof page>(toJson(page));
    if (made.size < MAX_SIZES_KEPT) made.set(limit, rendered);
    return rendered;
  };
}

function paged({ view: { snapshot } }: RollupNode, page: Page) {
  const { first, last, older, newer } = toPage({ first: 0n, next: texts.count(snapshot) }, page);
  const items = last < first ? [] : textsFrom(snapshot, first, Number(last - first) + 1).reverse();
  return { items, older, newer };
}
