import { credit, type HandlerContext, Rejected } from '@switchyard/rollup/define';
import { bestPrice, mark } from './prices.ts';
import { APPLES, MONEY, newest, type Order, orders, queues, tradeCount, trades } from './state.ts';

type State = HandlerContext['state'];
type Wanted = Pick<Order, 'owner' | 'isBid' | 'price'>;

/** Most orders that one order is traded with: each costs about ten reads and writes. */
const MOST_TRADES = 100;

/** Trades an amount with what waits, at the prices of what waits, the best and then the oldest first. @returns the rest of it. */
export function match({ state, height }: HandlerContext, { owner, isBid, price }: Wanted, amount: bigint): bigint {
  let left = amount;
  for (let count = 0; left > 0n; count += 1) {
    const best = bestPrice(state, !isBid);
    if (best === undefined || (isBid ? best > price : best < price)) break;
    if (count === MOST_TRADES) throw new Rejected('limit-reached', { field: 'amount', limit: `${MOST_TRADES} trades` });
    const [number, other] = firstOf(state, best);
    const traded = other.left < left ? other.left : left;
    const [buyer, seller] = isBid ? [owner, other.owner] : [other.owner, owner];
    credit(state, buyer, APPLES, traded);
    credit(state, seller, MONEY, traded * BigInt(best));
    // The money of a bid was taken at its own price.
    if (isBid) credit(state, buyer, MONEY, traded * BigInt(price - best));
    const trade = tradeCount.get(state) + 1n;
    trades.put(state, trade, { price: best, amount: traded, buyer, seller, block: height });
    tradeCount.put(state, trade);
    if (traded === other.left) remove(state, number, other);
    else orders.put(state, number, { ...other, left: other.left - traded });
    left -= traded;
  }
  return left;
}

/** Puts the rest of an order behind the others of its price. */
export function enqueue(state: State, wanted: Wanted, left: bigint): void {
  const number = newest.get(state) + 1n;
  newest.put(state, number);
  const queue = queues.get(state, wanted.price);
  if (queue === undefined) mark(state, wanted.isBid, wanted.price, true);
  else orders.put(state, queue.last, { ...waiting(state, queue.last), after: number });
  queues.put(state, wanted.price, { first: queue?.first ?? number, last: number });
  orders.put(state, number, { ...wanted, left, before: queue?.last ?? 0n, after: 0n });
}

/** Takes an order out of its queue. */
export function remove(state: State, number: bigint, { isBid, price, before, after }: Order): void {
  const queue = queues.get(state, price);
  if (queue === undefined) throw new Error(`price ${price} has order ${number} and no queue`);
  if (before > 0n) orders.put(state, before, { ...waiting(state, before), after });
  if (after > 0n) orders.put(state, after, { ...waiting(state, after), before });
  orders.delete(state, number);
  if (before === 0n && after === 0n) {
    queues.delete(state, price);
    mark(state, isBid, price, false);
  } else {
    queues.put(state, price, {
      first: before === 0n ? after : queue.first,
      last: after === 0n ? before : queue.last,
    });
  }
}

function firstOf(state: State, price: number): readonly [bigint, Order] {
  const queue = queues.get(state, price);
  if (queue === undefined) throw new Error(`price ${price} is marked and has no queue`);
  return [queue.first, waiting(state, queue.first)];
}

function waiting(state: State, number: bigint): Order {
  const found = orders.get(state, number);
  if (found === undefined) throw new Error(`order ${number} is in a queue and absent`);
  return found;
}
