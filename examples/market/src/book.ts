import type { AccountId } from '@switchyard/protocol';
import { type HandlerContext, single, u64 } from '@switchyard/rollup';
import { MOST_TRADES, PAYOUT, traded } from './rules.ts';
import { addShares, book, type Outcome, places, rankOf } from './state.ts';

interface Wanted {
  readonly id: number;
  readonly outcome: Outcome;
  readonly price: number;
}

/** Number of the newest order. */
export const newest = single({ name: 'newest', value: u64, absent: 0n });

const OTHER = { yes: 'no', no: 'yes' } as const;

/**
 * Trades with orders of the other outcome whose price and this one make up a payout, at the prices of what waits: the highest and then
 * the oldest first. Each share of a trade comes into being with one of the other outcome.
 *
 * @returns shares that are left, the collateral that better prices have saved, and whether there is more to trade with.
 */
export function match(context: HandlerContext, { id, outcome, price }: Wanted, shares: bigint) {
  const { state, signer: taker } = context;
  const [other, limit] = [OTHER[outcome], MOST_TRADES + 1];
  const crossing = book.range(state, { prefix: [id, other], before: [id, other, price + 1, 0n], limit });
  let [left, saved] = [shares, 0n];
  for (const [key, waiting] of crossing.slice(0, MOST_TRADES)) {
    if (left === 0n) break;
    const size = waiting.left < left ? waiting.left : left;
    left -= size;
    saved += size * BigInt(price + waiting.price - PAYOUT);
    addShares(state, waiting.owner, id, other, size);
    if (size < waiting.left) book.put(state, key, { ...waiting, left: waiting.left - size });
    else {
      book.delete(state, key);
      places.delete(state, key[3]);
    }
    const facts = { maker: waiting.owner, taker, shares: size };
    traded.emit(context, { id, outcome, price: PAYOUT - waiting.price, ...facts });
  }
  return { left, saved, isCut: left > 0n && crossing.length === limit };
}

/** Puts the rest of an order behind the others of its price. */
export function enqueue(
  state: HandlerContext['state'],
  { id, outcome, price }: Wanted,
  owner: AccountId,
  left: bigint,
): void {
  const number = newest.get(state) + 1n;
  newest.put(state, number);
  places.put(state, number, { id, outcome, price });
  book.put(state, [id, outcome, rankOf(price), number], { owner, price, left });
}
