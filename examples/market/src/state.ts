import type { AccountId } from '@switchyard/protocol';
import {
  address,
  asset,
  bool,
  type HandlerContext,
  Rejected,
  record,
  table,
  text,
  u32,
  u64,
  u128,
  type ValueOf,
} from '@switchyard/rollup';
import { outcome, PAYOUT, status } from './rules.ts';

type State = HandlerContext['state'];
export type Outcome = ValueOf<typeof outcome>;

export const name = text({ maxBytes: 64 });

const row = record({ name, collateral: asset, oracle: address, closes: u64, lapses: u64, status });
export type Market = ValueOf<typeof row>;

/** By a number from 1 on. */
export const markets = table({
  name: 'markets',
  key: u32,
  value: row,
  indexes: {
    status: { key: [status], of: ({ status: now }) => [now] },
    oracle: { key: [address], of: ({ oracle }) => [oracle] },
  },
  search: ['name'],
});

/** Numbers of markets by their names, each of which there is once. */
export const names = table({ name: 'names', key: name, value: u32 });

/** Accounts that were appointed, with the number of their markets that are not settled. */
export const oracles = table({
  name: 'oracles',
  key: address,
  value: record({ isActive: bool, open: u32 }),
  absent: { isActive: false, open: 0 },
});

/** Orders that wait, those of an outcome as they are traded: the highest price first, then the oldest. */
export const book = table({
  name: 'book',
  key: [u32, outcome, u32, u64],
  value: record({ owner: address, price: u32, left: u64 }),
  indexes: { owner: { key: [address], of: ({ owner }) => [owner] } },
});
export const rankOf = (price: number): number => PAYOUT - price;

/** Places of waiting orders by their numbers, from 1 on. */
export const places = table({ name: 'places', key: u64, value: record({ id: u32, outcome, price: u32 }) });

/** Shares that an account has. */
export const positions = table({ name: 'positions', key: [address, u32, outcome], value: u128, absent: 0n });

export function marketOf(state: State, id: number): Market {
  const found = markets.get(state, id);
  if (found === undefined) throw new Rejected('not-found', { field: 'id', got: id });
  return found;
}

export const isSettled = ({ status: now }: Market): boolean => now !== 'open' && now !== 'closed';

export function addShares(state: State, account: AccountId, id: number, of: Outcome, shares: bigint): void {
  positions.put(state, [account, id, of], positions.get(state, [account, id, of]) + shares);
}

export function takeShares(state: State, account: AccountId, id: number, of: Outcome, shares: bigint): void {
  const held = positions.get(state, [account, id, of]);
  if (held < shares) throw new Rejected('insufficient-balance', { outcome: of, held, amount: shares });
  if (held === shares) positions.delete(state, [account, id, of]);
  else positions.put(state, [account, id, of], held - shares);
}
