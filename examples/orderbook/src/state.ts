import { parseDenom } from '@switchyard/protocol';
import { address, bool, record, single, table, u32, u64, u128, type ValueOf } from '@switchyard/rollup/define';

/** The goods that are traded, and the asset that pays for them. */
export const APPLES = parseDenom('apples').id;
export const MONEY = parseDenom('money').id;

const order = record({
  owner: address,
  isBid: bool,
  /** Units of money for one apple. */
  price: u32,
  /** Apples that are not traded yet. */
  left: u64,
  /** Neighbours in the queue of the price; 0 where there is none. */
  before: u64,
  after: u64,
});
export type Order = ValueOf<typeof order>;

/** Orders that wait, by a number from 1 on. Queries read them by price, best last for bids; handlers only by number. */
export const orders = table({
  name: 'orders',
  key: u64,
  value: order,
  indexes: {
    price: { key: [u32, u32], of: ({ isBid, price }) => [isBid ? 1 : 0, price] },
    owner: { key: [address], of: ({ owner }) => [owner] },
  },
});

/** The first and last order of a price; of bids and asks there is never both. */
export const queues = table({ name: 'queues', key: u32, value: record({ first: u64, last: u64 }) });

/** Prices that have a queue, as bits: see prices.ts. */
export const marks = table({ name: 'marks', key: [u32, u32], value: u128, absent: 0n });

/** Number of the newest order. */
export const newest = single({ name: 'newest', value: u64, absent: 0n });

/** Number of trades that there were. */
export const tradeCount = single({ name: 'tradeCount', value: u64, absent: 0n });

export const trades = table({
  name: 'trades',
  key: u64,
  value: record({ price: u32, amount: u64, buyer: address, seller: address, block: u64 }),
});
