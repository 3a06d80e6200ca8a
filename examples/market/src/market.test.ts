import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { nameTaken, notOpen, tooEarly } from './rules.ts';
import { alice, bob, NRIA, operator, type TestMarket, testMarket } from './test-market.ts';

let node: TestMarket;
beforeEach(async () => {
  node = await testMarket();
  await node.appoint();
});
afterEach(() => node.stop());
const accepted = { until: 'accepted' } as const;
const sharesOf = async ({ account }: typeof alice) => (await node.client.query.holdings({ account })).shares;

test('orders whose prices make up a payout trade, at the prices of what waits', async () => {
  const id = await node.open('rain');
  await node.order(bob, id, 'no', 35, 10n);
  await node.order(bob, id, 'no', 45, 10n);
  const outcome = await node.order(alice, id, 'yes', 70, 15n);
  assert.deepEqual(outcome?.events, [
    { kind: 'traded', id, outcome: 'yes', price: 55, shares: 10n, maker: bob.account, taker: alice.account },
    { kind: 'traded', id, outcome: 'yes', price: 65, shares: 5n, maker: bob.account, taker: alice.account },
  ]);
  assert.equal(await node.held(alice), 100_000n - 10n * 55n - 5n * 65n);
  assert.deepEqual(await sharesOf(alice), [{ id, outcome: 'yes', shares: 15n }]);
  const { yes, no } = await node.client.query.depth({ id });
  assert.deepEqual([yes, no.map(({ price, left }) => [price, left])], [[], [[35, 5n]]]);
});

test('the right outcome is paid, the other one is not', async () => {
  const id = await node.open('rain', { blocks: 5n });
  await node.order(alice, id, 'yes', 60, 100n);
  await node.order(bob, id, 'no', 40, 100n);
  const { submit } = node.client;
  const early = submit.resolve({ id, outcome: 'yes' }, operator, accepted);
  await assert.rejects(node.executed(early), (error) => tooEarly.factsOf(error)?.id === id);
  await node.reach(6n);
  assert.deepEqual(
    (await node.client.query.marketsWith({ status: 'closed' })).markets.map((each) => each.id),
    [id],
  );
  await assert.rejects(node.order(alice, id, 'yes', 1, 10n), (error) => notOpen.factsOf(error)?.status === 'closed');
  await assert.rejects(node.executed(submit.resolve({ id, outcome: 'no' }, alice, accepted)), /unauthorized/);
  await node.executed(submit.resolve({ id, outcome: 'yes' }, operator, accepted));
  await node.executed(submit.claim({ id }, alice, accepted));
  await node.executed(submit.claim({ id }, bob, accepted));
  assert.deepEqual([await node.held(alice), await node.held(bob)], [104_000n, 96_000n]);
  await assert.rejects(node.executed(submit.claim({ id }, alice, accepted)), /empty/);
});

test('without an answer the schedule voids a market, and each share pays half', async () => {
  const id = await node.open('rain', { blocks: 5n });
  await node.order(alice, id, 'yes', 60, 100n);
  await node.order(bob, id, 'no', 40, 70n);
  const [waiting] = (await node.client.query.ordersOf({ owner: alice.account })).orders;
  await node.reach(26n);
  const late = node.client.submit.resolve({ id, outcome: 'yes' }, operator, accepted);
  await assert.rejects(node.executed(late), /already present/);
  for (const signer of [alice, bob]) await node.executed(node.client.submit.claim({ id }, signer, accepted));
  // An order that nothing was traded with is taken back at any time.
  await node.executed(node.client.submit.cancel({ order: waiting?.order ?? 0n }, alice, accepted));
  assert.deepEqual([await node.held(alice), await node.held(bob)], [100_000n - 700n, 100_000n + 700n]);
});

test('shares of both outcomes are worth a payout before the answer', async () => {
  const id = await node.open('rain');
  await node.order(alice, id, 'yes', 50, 20n);
  await node.order(alice, id, 'no', 50, 20n);
  const redeem = (pairs: bigint) => node.executed(node.client.submit.redeem({ id, pairs }, alice, accepted));
  await assert.rejects(redeem(21n), /insufficient balance/);
  await redeem(20n);
  assert.equal(await node.held(alice), 100_000n);
  assert.deepEqual(await sharesOf(alice), []);
});

test('each market has one collateral, which deposits credit', async () => {
  await node.deposit('astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm', 5n);
  const id = await node.open('rain', { collateral: NRIA });
  await assert.rejects(node.order(alice, id, 'yes', 50, 20n), /insufficient balance/);
  await assert.rejects(node.open('snow', { collateral: 'ab'.repeat(32) as typeof NRIA }), /wrong asset/);
});

test('only who is appointed opens a market, whose name is taken then', async () => {
  const open = (name: string) => {
    const fields = { name, collateral: NRIA, closes: 50n, lapses: 60n };
    return node.executed(node.client.submit.open(fields, alice, accepted));
  };
  await assert.rejects(open('rain'), /unauthorized/);
  await assert.rejects(
    node.executed(node.client.submit.appoint({ account: alice.account, isActive: true }, alice, accepted)),
    /unauthorized/,
  );
  await node.appoint(alice.account);
  await open('rain');
  await assert.rejects(open('rain'), (error) => nameTaken.factsOf(error)?.id === 1);
  await assert.rejects(node.order(alice, 1, 'yes', 50, 9n), /too small: smallest 10/);
});

test('markets are read a page at a time', async () => {
  for (const name of ['rain', 'snow', 'hail']) await node.open(name);
  const { markets, next } = await node.client.query.marketList({ limit: 2 });
  assert.deepEqual([markets.map(({ name }) => name), next], [['rain', 'snow'], 2]);
  const rest = await node.client.query.marketList({ after: next, limit: 2 });
  assert.deepEqual([rest.markets.map(({ name }) => name), rest.next], [['hail'], undefined]);
});
