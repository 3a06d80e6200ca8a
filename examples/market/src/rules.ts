import {
  address,
  asset,
  event,
  fallback,
  type GenesisOf,
  type HandlerContext,
  list,
  oneOf,
  record,
  refusal,
  u32,
  u64,
  u128,
} from '@switchyard/rollup';

/** Units of collateral that one share of the right outcome pays. A price is 1 to 99 of them. */
export const PAYOUT = 100;
/** Shares of an order, at least: each order takes rows that everybody pays for. */
export const SMALLEST = 10n;
/** Orders that one order is traded with, at most: each costs about ten reads and writes. */
export const MOST_TRADES = 100;
/** Markets of an oracle that are not settled, at most. */
export const MOST_OPEN = 100;
/** Blocks from the end of trading to the block that settles a market without its oracle, at most. */
export const LONGEST_WAIT = 100_000n;

export const outcome = oneOf('yes', 'no');
/** Without an answer of its oracle a market is void, and each share pays half. */
export const status = oneOf('open', 'closed', 'yes', 'no', 'void');

export const genesis = {
  /** Appoints oracles. */
  operator: address,
  collaterals: list(asset, { maxItems: 8 }),
  balances: fallback(list(record({ account: address, asset, amount: u128 }), { maxItems: 1_000 }), []),
};
/** Context of `execute`, with the members of the genesis. */
export type Context = HandlerContext<GenesisOf<typeof genesis>>;

export const opened = event('opened', { id: u32, by: address, closes: u64 });
export const traded = event('traded', { id: u32, outcome, price: u32, shares: u64, maker: address, taker: address });
export const settled = event('settled', { id: u32, status });
export const paid = event('paid', { id: u32, to: address, amount: u128 });

export const notOpen = refusal('notOpen', { id: u32, status });
export const tooEarly = refusal('tooEarly', { id: u32, block: u64 });
export const tooSmall = refusal('tooSmall', { smallest: u64 });
export const nameTaken = refusal('nameTaken', { id: u32 });
