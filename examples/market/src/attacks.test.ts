import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { formatAddress, type Signer } from '@switchyard/protocol';
import { action, asset, defineRollup, text, u64 } from '@switchyard/rollup';
import { signTransaction } from '@switchyard/rollup/client';
import { market } from './market.ts';
import { MOST_TRADES, notOpen } from './rules.ts';
import {
  alice,
  bob,
  genesis,
  NRIA,
  operator,
  POINTS,
  RICHEST,
  stranger,
  type TestMarket,
  testMarket,
} from './test-market.ts';

/* Things that strangers send. After each the chain continues, and everybody has what is theirs. */

let node: TestMarket;
const accepted = { until: 'accepted' } as const;
const start = async (...given: Parameters<typeof testMarket>) => {
  node = await testMarket(...given);
  await node.appoint();
};
beforeEach(() => start());
afterEach(async () => {
  await node.deposit(formatAddress(stranger.account), 3n);
  assert.equal(await node.held(stranger, NRIA), 3n, 'the chain continues');
  await node.stop();
});

const order = (id: number, price: number, shares: bigint) => ({
  kind: 'order' as const,
  id,
  outcome: 'yes' as const,
  price,
  shares,
});
type Signed = Parameters<typeof signTransaction>[1]['actions'];
const signed = (actions: Signed, signer: Signer, nonce: number, chainId = node.chainId) =>
  signTransaction(market, { nonce, chainId, actions }, signer);
/** The code of the refusal of bytes that a node gets by HTTP. */
const codeOf = async (bytes: Uint8Array) => {
  const { status, body } = await node.post('/v1/transactions', bytes);
  return [status, (body as { readonly code?: string }).code];
};
/** Puts bytes into a block without asking any node. @returns its numbers. */
async function forced(...data: Uint8Array[]) {
  const { number } = await node.block({ data });
  const { executed, refused } = (await node.get(`/v1/blocks/${number}`)).body as Record<'executed' | 'refused', number>;
  return { executed, refused };
}

test('a stranger posts a refused order again, once its account was paid', async () => {
  const id = await node.open('rain', { collateral: NRIA });
  const bytes = await signed([order(id, 50, 10n)], alice, 0);
  assert.deepEqual(await forced(bytes), { executed: 0, refused: 1 });
  await node.deposit(formatAddress(alice.account), 1_000n);
  assert.deepEqual(await forced(bytes), { executed: 0, refused: 1 });
  assert.equal(await node.held(alice, NRIA), 1_000n);
});

test('an order that was held back is not executed behind its last block', async () => {
  const id = await node.open('rain');
  const { soft } = node.chain.view;
  const chainId = node.chainId;
  const body = { nonce: 0, chainId, lastBlock: soft + 1n, actions: [order(id, 50, 10n)] };
  const bytes = await signTransaction(market, body, alice);
  await node.block();
  assert.deepEqual(await forced(bytes), { executed: 0, refused: 1 });
  assert.deepEqual(await codeOf(bytes), [409, 'expired']);
  assert.equal(await node.held(alice), 100_000n);
});

test('a signature of another chain or version is none here', async () => {
  const id = await node.open('rain');
  const other = await signed([order(id, 50, 10n)], alice, 0, 'market-of-others');
  assert.deepEqual(await codeOf(other), [400, 'wrong-chain']);
  const version = defineRollup({ ...market, version: 2 });
  const chainId = node.chainId;
  const next = await signTransaction(version, { nonce: 0, chainId, actions: [order(id, 50, 10n)] }, alice);
  // A stranger writes the digits of the other version, which the signature covers.
  const rewritten = Buffer.from(
    Buffer.from(next).toString('latin1').replace(version.typeUrl, market.typeUrl),
    'latin1',
  );
  assert.deepEqual(await codeOf(rewritten), [400, 'bad-signature']);
  assert.deepEqual(await forced(other, next, rewritten), { executed: 0, refused: 3 });
});

test('a name of 600 characters is no key', async () => {
  const long = 'x'.repeat(600);
  const { status } = await node.get(`/v1/market-named?name=${long}`);
  assert.equal(status, 400);
  // The type of the attacker takes longer texts; kind and signature are those of this rollup.
  const wide = defineRollup({
    name: 'market',
    actions: {
      appoint: market.actions.appoint,
      open: action({
        fields: { name: text({ maxBytes: 1_000 }), collateral: asset, closes: u64, lapses: u64 },
        execute: () => undefined,
      }),
    },
  });
  const open = { kind: 'open' as const, name: long, collateral: POINTS, closes: 50n, lapses: 60n };
  const body = { nonce: 1, chainId: node.chainId, actions: [open] };
  const bytes = await signTransaction({ ...wide, typeUrl: market.typeUrl }, body, operator);
  assert.deepEqual(await codeOf(bytes), [400, 'malformed']);
  assert.deepEqual(await forced(bytes), { executed: 0, refused: 1 });
});

test('amounts at the end of their types overflow nothing', async () => {
  await node.stop();
  await start(genesis({ [alice.account]: RICHEST, [bob.account]: RICHEST }));
  const id = await node.open('rain');
  const most = (1n << 64n) - 1n;
  for (let round = 0; round < 3; round += 1) {
    await node.order(alice, id, 'yes', 99, most);
    await node.order(bob, id, 'no', 1, most);
  }
  const { shares } = await node.client.query.holdings({ account: alice.account });
  assert.deepEqual(shares, [{ id, outcome: 'yes', shares: 3n * most }]);
  assert.equal((await node.held(alice)) + (await node.held(bob)), 2n * RICHEST - 300n * most);
  // Deposits that an account cannot hold are not credited, and are listed with the reason.
  await node.deposit(formatAddress(alice.account), RICHEST);
  await node.deposit(formatAddress(alice.account), 1n);
  assert.equal(await node.held(alice, NRIA), RICHEST);
});

const STRANGE = ['', '{"to":1}', 'x'.repeat(256), '__proto__'];

test('a deposit for no address is listed, and its bridge account can pay it back', async () => {
  for (const destination of STRANGE) await node.deposit(destination, 7n);
  const { body } = await node.get('/v1/deposits/skipped');
  assert.equal((body as { readonly deposits: readonly unknown[] }).deposits.length, STRANGE.length);
});

test('a destination that a slip of the author takes for JSON stops nothing', async () => {
  await node.stop();
  // Errors of JSON.parse are no refusals, so they count as bugs.
  await start(genesis(), {
    ...market,
    onDeposit: (deposit, ...rest) =>
      market.onDeposit?.({ ...deposit, destination: JSON.parse(`"${deposit.destination}"`) }, ...rest) ??
      operator.account,
  });
  await node.deposit('"', 7n);
  assert.equal(await node.held(operator, NRIA), 7n, 'the account for failed deposits has it');
  const { body } = await node.get('/readyz');
  assert.match((body as { readonly reason: string }).reason, /bug: handler onDeposit/);
});

test('more deadlines than a block executes lengthen no trading', async () => {
  const closes = 12n;
  for (let first = 0; first < 70; first += 10) {
    const markets = Array.from({ length: 10 }, (_, place) => ({
      ...{ kind: 'open' as const, name: `market ${first + place}`, collateral: POINTS },
      ...{ closes, lapses: closes + 1n },
    }));
    await node.executed(node.client.send(markets, operator, accepted));
  }
  await node.reach(closes - 2n);
  await node.order(alice, 70, 'yes', 50, 10n);
  await node.block();
  const withStatus = async (status: 'open' | 'void') =>
    (await node.client.query.marketsWith({ status, limit: 100 })).markets.length;
  assert.equal(await withStatus('open'), 6);
  await assert.rejects(node.order(alice, 70, 'yes', 50, 10n), (error) => notOpen.factsOf(error)?.id === 70);
  await node.reach(closes + 3n);
  assert.equal(await withStatus('void'), 70);
});

test('an oracle with as many markets as it may have waits for answers', async () => {
  const openAt = (first: number, count: number) =>
    Array.from({ length: count }, (_, place) => ({
      ...{ kind: 'open' as const, name: `market ${first + place}`, collateral: POINTS, closes: 50n, lapses: 51n },
    }));
  for (let first = 0; first < 100; first += 10)
    await node.executed(node.client.send(openAt(first, 10), operator, accepted));
  await assert.rejects(node.executed(node.client.send(openAt(100, 1), operator, accepted)), /limit reached/);
});

test('dust in the book stops no large order', async () => {
  const id = await node.open('rain', { blocks: 60n });
  for (let count = 0; count < MOST_TRADES + 20; count += 15) {
    const dust = Array.from({ length: 15 }, () => order(id, 50, 10n));
    await node.executed(node.client.send(dust, alice, accepted));
  }
  await node.order(bob, id, 'no', 60, 1_500n);
  const held = (await node.client.query.holdings({ account: bob.account })).shares;
  assert.deepEqual(held, [{ id, outcome: 'no', shares: 1_000n }]);
  // The rest would cross the book, so it came back.
  assert.equal(await node.held(bob), 100_000n - 50_000n);
  assert.deepEqual((await node.client.query.depth({ id })).no, []);
});
