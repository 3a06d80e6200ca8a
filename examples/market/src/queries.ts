import { address, asset, balances, fallback, list, option, query, record, u32, u64, u128 } from '@switchyard/rollup';
import { outcome, status } from './rules.ts';
import { book, type Market, markets, name, names, positions } from './state.ts';

const MOST = 100;
const limit = fallback(u32, 20);
const within = (asked: number) => Math.min(asked, MOST);
const entry = { id: u32, name, collateral: asset, oracle: address, closes: u64, lapses: u64, status };
const entries = list(record(entry), { maxItems: MOST });
const shown = ([id, found]: readonly [number, Market]) => ({ id, ...found });
const order = record({ order: u64, id: u32, outcome, price: u32, left: u64 });
const orders = list(order, { maxItems: MOST });
const waiting = ([[id, of, , number], { price, left }]: NonNullable<ReturnType<typeof book.first>>) => ({
  ...{ order: number, id, outcome: of, price, left },
});

export const marketList = query({
  help: 'markets by their numbers, a page at a time',
  parameters: { after: fallback(u32, 0), limit },
  answer: { markets: entries, next: option(u32) },
  handle({ after, limit: asked }, { state }) {
    const found = markets.range(state, { after, limit: within(asked) + 1 });
    const page = found.slice(0, within(asked)).map(shown);
    return { markets: page, next: found.length > page.length ? page.at(-1)?.id : undefined };
  },
});

export const marketsWith = query({
  help: 'the newest markets with a status',
  parameters: { status, limit },
  answer: { markets: entries },
  handle: ({ status: wanted, limit: asked }, { state }) => ({
    markets: Array.from(markets.by(state, 'status', [wanted], { limit: within(asked), reverse: true }), shown),
  }),
});

export const marketNamed = query({
  parameters: { name },
  answer: entry,
  handle({ name: asked }, { state }) {
    const id = names.get(state, asked);
    const found = id === undefined ? undefined : markets.get(state, id);
    return id === undefined || found === undefined ? undefined : shown([id, found]);
  },
});

export const depth = query({
  help: 'orders that wait, best prices first',
  parameters: { id: u32, limit },
  answer: { yes: orders, no: orders },
  handle({ id, limit: asked }, { state }) {
    const side = (of: 'yes' | 'no') => book.range(state, { prefix: [id, of], limit: within(asked) }).map(waiting);
    return { yes: side('yes'), no: side('no') };
  },
});

export const ordersOf = query({
  help: 'orders of an account that wait',
  parameters: { owner: address, limit },
  answer: { orders },
  handle: ({ owner, limit: asked }, { state }) => ({
    orders: Array.from(book.by(state, 'owner', [owner], { limit: within(asked) }), waiting),
  }),
});

export const holdings = query({
  help: 'shares of an account, in the order of markets',
  parameters: { account: address, limit },
  answer: { shares: list(record({ id: u32, outcome, shares: u128 }), { maxItems: MOST }) },
  handle: ({ account, limit: asked }, { state }) => ({
    shares: positions
      .range(state, { prefix: [account], limit: within(asked) })
      .map(([[, id, of], shares]) => ({ id, outcome: of, shares })),
  }),
});

export const balance = query({
  parameters: { account: address, asset },
  answer: { amount: u128 },
  handle: ({ account, asset: asked }, { state }) => ({ amount: balances.get(state, [account, asked]) }),
});
