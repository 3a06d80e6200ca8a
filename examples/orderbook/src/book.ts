import { credit, type HandlerContext, Rejected } from '@switchyard/rollup';
import { APPLES, book, MONEY, newest, type Order, places, rankOf, trades } from './state.ts';

interface Wanted extends Pick<Order, 'owner' | 'price'> {
  readonly isBid: boolean;
}

/** Most orders that one order is traded with: each costs about ten reads and writes. */
const MOST_TRADES = 100;

/** Trades an amount with what waits, at the prices of what waits, the best and then the oldest first. @returns the rest of it. */
export function match({ state, height }: HandlerContext, { owner, isBid, price }: Wanted, amount: bigint): bigint {
  let left = amount;
  const worst = [!isBid, rankOf(!isBid, price) + 1, 0n] as const;
  const crossing = book.range(state, { prefix: [!isBid], before: worst, limit: MOST_TRADES + 1 });
  for (const [count, [key, other]] of crossing.entries()) {
    if (left === 0n) break;
    if (count === MOST_TRADES) throw new Rejected('limit-reached', { field: 'amount', limit: `${MOST_TRADES} trades` });
    const traded = other.left < left ? other.left : left;
    const [buyer, seller] = isBid ? [owner, other.owner] : [other.owner, owner];
    credit(state, buyer, APPLES, traded);
    credit(state, seller, MONEY, traded * BigInt(other.price));
    // The money of a bid was taken at its own price.
    if (isBid) credit(state, buyer, MONEY, traded * BigInt(price - other.price));
    const [trade] = trades.last(state) ?? [0n];
    trades.put(state, trade + 1n, { price: other.price, amount: traded, buyer, seller, block: height });
    if (traded < other.left) book.put(state, key, { ...other, left: other.left - traded });
    else {
      book.delete(state, key);
      places.delete(state, key[2]);
    }
    left -= traded;
  }
  return left;
}

/** Puts the rest of an order behind the others of its price. */
export function enqueue(state: HandlerContext['state'], { owner, isBid, price }: Wanted, left: bigint): void {
  const number = newest.get(state) + 1n;
  newest.put(state, number);
  places.put(state, number, { isBid, price });
  book.put(state, [isBid, rankOf(isBid, price), number], { owner, price, left });
}
