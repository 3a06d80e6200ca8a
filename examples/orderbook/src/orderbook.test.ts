import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createSigner, formatAddress, type Signer } from '@switchyard/protocol';
import { testRollup } from '@switchyard/rollup/testing';
import { orderbook } from './orderbook.ts';

const [alice, bob] = [1, 2].map((byte) => createSigner(new Uint8Array(32).fill(byte))) as [Signer, Signer];
const balances = [alice, bob].map(({ account }) => ({
  account: formatAddress(account),
  ...{ apples: '1000', money: '100000' },
}));
const genesis = JSON.stringify({
  rollup_name: 'orderbook',
  sequencer_chain_id: 'test',
  canonical_transactions: true,
  balances,
});

/** A whole node in memory, for each test. */
let node: Awaited<ReturnType<typeof started>>;
const started = () => testRollup(orderbook, genesis);
beforeEach(async () => {
  node = await started();
});
afterEach(() => node.stop());

/** Places an order in a block of its own. */
async function place(signer: Signer, isBid: boolean, price: number, amount: bigint): Promise<string> {
  const { hash } = await node.client.submit.place({ isBid, price, amount }, signer, { until: 'accepted' });
  await node.block();
  return hash;
}
const held = ({ account }: Signer) => node.client.query.balance({ account });
const shown = async () => {
  const { bids, asks } = await node.client.query.depth();
  const side = (orders: typeof bids) => orders.map(({ price, left }) => [price, left]);
  return { bids: side(bids), asks: side(asks) };
};

test('orders that do not cross wait, the best first', async () => {
  await place(alice, true, 99, 5n);
  await place(alice, true, 100, 5n);
  await place(bob, false, 300, 7n);
  await place(bob, false, 101, 7n);
  assert.deepEqual(await node.client.query.best(), { bid: 100, ask: 101 });
  assert.deepEqual(await shown(), {
    bids: [
      [100, 5n],
      [99, 5n],
    ],
    asks: [
      [101, 7n],
      [300, 7n],
    ],
  });
  assert.deepEqual(await held(alice), { apples: 1_000n, money: 100_000n - 5n * 199n });
});

test('an order trades with the best prices, then with the oldest order, at the price of what waits', async () => {
  await place(bob, false, 102, 4n);
  await place(bob, false, 101, 1n);
  await place(bob, false, 101, 2n);
  await place(alice, true, 102, 5n);
  assert.deepEqual(await shown(), { bids: [], asks: [[102, 2n]] });
  const { trades } = await node.client.query.tradeList();
  assert.deepEqual(
    trades.map(({ price, amount }) => [price, amount]),
    [
      [102, 2n],
      [101, 2n],
      [101, 1n],
    ],
  );
  assert.deepEqual(await held(alice), { apples: 1_005n, money: 100_000n - 507n });
  assert.deepEqual(await held(bob), { apples: 993n, money: 100_507n });
});

test('only its owner cancels an order, and gets back what it holds', async () => {
  await place(alice, true, 100, 5n);
  const [order] = (await node.client.query.orderList({ owner: alice.account })).orders;
  assert.equal(order?.left, 5n);
  const cancel = async (signer: Signer) => {
    const { hash } = await node.client.submit.cancel({ order: order?.order ?? 0n }, signer, { until: 'accepted' });
    await node.block();
    return node.client.wait(hash);
  };
  await assert.rejects(cancel(bob), /unauthorized/);
  await cancel(alice);
  assert.deepEqual(await node.client.query.best(), { bid: undefined, ask: undefined });
  assert.deepEqual(await held(alice), { apples: 1_000n, money: 100_000n });
});

test('an order that cannot be paid, or has no price of the book, is rejected', async () => {
  await assert.rejects(place(alice, true, 1_000, 101n), /insufficient balance/);
  await assert.rejects(place(alice, false, 0, 1n), /field price/);
  await assert.rejects(place(alice, false, 16_384, 1n), /field price/);
});

interface Waiting {
  readonly isBid: boolean;
  readonly price: number;
  left: bigint;
}

/** The rule of the book by a sorted list: orders that are left after one more. */
function withOrder(book: readonly Waiting[], order: Waiting): Waiting[] {
  const crosses = ({ isBid, price }: Waiting) =>
    isBid !== order.isBid && (order.isBid ? price <= order.price : price >= order.price);
  const against = book
    .filter(crosses)
    .sort((one, other) => (order.isBid ? one.price - other.price : other.price - one.price));
  for (const other of against) {
    const traded = other.left < order.left ? other.left : order.left;
    other.left -= traded;
    order.left -= traded;
  }
  return [...book, order].filter(({ left }) => left > 0n);
}

test('any orders leave the book that a sorted list has, and make or lose no coin', async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let book: Waiting[] = [];
  for (let count = 0; count < 120; count += 1) {
    const order = { isBid: random(2) === 1, price: 126 + random(6), left: BigInt(1 + random(5)) };
    await place(random(2) === 1 ? alice : bob, order.isBid, order.price, order.left);
    book = withOrder(book, order);
  }
  const sorted = (isBid: boolean) =>
    book
      .filter((order) => order.isBid === isBid)
      .map(({ price, left }): [number, bigint] => [price, left])
      .sort(([one], [other]) => (isBid ? other - one : one - other));
  const { bids, asks } = await node.client.query.depth({ limit: 200 });
  const byPrice = (orders: typeof bids, isBid: boolean) => {
    const inTime = [...orders].sort((one, other) => Number(one.order - other.order));
    return inTime
      .map(({ price, left }): [number, bigint] => [price, left])
      .sort(([one], [other]) => (isBid ? other - one : one - other));
  };
  assert.deepEqual([byPrice(bids, true), byPrice(asks, false)], [sorted(true), sorted(false)]);

  const waiting = {
    apples: sumOf(asks.map(({ left }) => left)),
    money: sumOf(bids.map(({ price, left }) => left * BigInt(price))),
  };
  const [one, other] = [await held(alice), await held(bob)];
  assert.equal(one.apples + other.apples + waiting.apples, 2_000n);
  assert.equal(one.money + other.money + waiting.money, 200_000n);
});

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
