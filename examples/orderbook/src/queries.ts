import { address, balances, fallback, list, option, query, record, u32, u64, u128 } from '@switchyard/rollup';
import { APPLES, book, MONEY, trades } from './state.ts';

const waiting = list(record({ order: u64, price: u32, left: u64 }), { maxItems: 200 });
const limit = fallback(u32, 20);
const within = (asked: number) => Math.min(asked, 200);
const shown = ([[, , order], { price, left }]: NonNullable<ReturnType<typeof book.first>>) => ({ order, price, left });

export const best = query({
  help: 'the highest bid and the lowest ask',
  answer: { bid: option(u32), ask: option(u32) },
  handle(_, { state }) {
    const side = (isBid: boolean) => book.first(state, { prefix: [isBid] })?.[1].price;
    return { bid: side(true), ask: side(false) };
  },
});

export const depth = query({
  help: 'orders that wait, best prices first',
  parameters: { limit },
  answer: { bids: waiting, asks: waiting },
  handle({ limit: asked }, { state }) {
    const side = (isBid: boolean) => book.range(state, { prefix: [isBid], limit: within(asked) }).map(shown);
    return { bids: side(true), asks: side(false) };
  },
});

export const orderList = query({
  help: 'orders of an account that wait',
  parameters: { owner: address },
  answer: { orders: waiting },
  handle: ({ owner }, { state }) => ({ orders: Array.from(book.by(state, 'owner', [owner], { limit: 200 }), shown) }),
});

export const tradeList = query({
  help: 'the newest trades',
  parameters: { limit },
  answer: { trades: list(record({ trade: u64, price: u32, amount: u64, block: u64 }), { maxItems: 200 }) },
  handle: ({ limit: asked }, { state }) => ({
    trades: trades
      .range(state, { reverse: true, limit: within(asked) })
      .map(([trade, { price, amount, block }]) => ({ trade, price, amount, block })),
  }),
});

export const balance = query({
  help: 'what an account holds, without what its orders hold',
  parameters: { account: address },
  answer: { apples: u128, money: u128 },
  handle: ({ account }, { state }) => ({
    apples: balances.get(state, [account, APPLES]),
    money: balances.get(state, [account, MONEY]),
  }),
});
