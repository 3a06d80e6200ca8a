import { parseDenom } from '@switchyard/protocol';
import { address, bool, record, single, table, u32, u64, type ValueOf } from '@switchyard/rollup';

/** The goods that are traded, and the asset that pays for them. */
export const APPLES = parseDenom('apples').id;
export const MONEY = parseDenom('money').id;

export const HIGHEST_PRICE = 16_383;

/** Place of a price among those of its side, the best first. */
export const rankOf = (isBid: boolean, price: number): number => (isBid ? HIGHEST_PRICE - price : price);

/** Units of money for one apple, and apples that are not traded yet. */
const order = record({ owner: address, price: u32, left: u64 });
export type Order = ValueOf<typeof order>;

/** Orders that wait, those of each side as they are traded: by rank, then by their numbers, from 1 on. */
export const book = table({
  name: 'book',
  key: [bool, u32, u64],
  value: order,
  indexes: { owner: { key: [address], of: ({ owner }) => [owner] } },
});

/** Where an order waits, by its number. */
export const places = table({ name: 'places', key: u64, value: record({ isBid: bool, price: u32 }) });

/** Number of the newest order. */
export const newest = single({ name: 'newest', value: u64, absent: 0n });

/** By a number from 1 on. */
export const trades = table({
  name: 'trades',
  key: u64,
  value: record({ price: u32, amount: u64, buyer: address, seller: address, block: u64 }),
});
