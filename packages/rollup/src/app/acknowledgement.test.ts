import { createMemoryStore } from '@switchyard/machine';
import { txHashOf } from '@switchyard/protocol';
import { manualClock } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { FakeComposer } from '../testing/fake-composer.ts';
import { signers, signSpend, tallyRollup } from '../testing/tally.ts';
import { type TestNodeOptions, testNode, until } from '../testing/test-node.ts';

const [alice] = signers;
const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started(options: TestNodeOptions = {}) {
  const node = await testNode(tallyRollup(), options);
  nodes.push(node);
  return node;
}

const UNCLEAR = [503, { error: { code: 'outcome-unknown' } }];
const first = signSpend({ nonce: 0 });
const second = signSpend({ nonce: 1 });

// Defect: Messenger: bytes acknowledged because an attempt with an unknown outcome came before
test('the same bytes are not acknowledged because an attempt with an unknown outcome came before', async () => {
  const node = await started();
  node.composer.mode = 'broken';
  const waiting = node.post('/v1/transactions', first);
  await until(() => !node.forwarder.ready);
  await node.stop();
  const answers = [
    await waiting,
    await node.post('/v1/transactions', first),
    await node.post('/v1/transactions', first),
  ];
  for (const { status, body } of answers) expect([status, body]).toMatchObject(UNCLEAR);
  expect((await node.post('/v1/transactions', second)).status).toBe(503);
  expect((await node.get(`/v1/transactions/${txHashOf(first)}`)).body).toMatchObject({ state: 'unclear' });
  expect(node.composer.queued).toEqual([]);
});

test('a batch with an unknown outcome is not acknowledged when it is repeated', async () => {
  const node = await started();
  node.composer.mode = 'broken';
  const framed = Buffer.concat(
    [first, second].flatMap((item) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(item.length);
      return [length, item];
    }),
  );
  const waiting = node.post('/v1/transactions:batch', framed);
  await until(() => !node.forwarder.ready);
  await node.stop();
  expect((await waiting).status).toBe(503);
  expect((await node.post('/v1/transactions:batch', framed)).status).toBe(503);
});

test('a transaction for another chain is refused with the chain id expected here', async () => {
  const node = await started();
  const { status, body } = await node.post('/submit_transaction', signSpend({ nonce: 0, chainId: 'other' }));
  expect([status, body]).toMatchObject([
    400,
    { error: { message: expect.stringContaining('expected tally-1, got other'), facts: { expected: 'tally-1' } } },
  ]);
});

test('what was executed is acknowledged again with the same hash', async () => {
  const node = await started();
  await node.post('/v1/transactions', first);
  await node.block();
  const { status, body } = await node.post('/v1/transactions', first);
  expect([status, body, node.composer.queued]).toEqual([202, { hash: txHashOf(first) }, []]);
});

test('what a block has refused can be submitted again, and is included again', async () => {
  const node = await started();
  // It comes to the composer past the node, before its nonce is due.
  node.composer.accept(second);
  await node.block();
  expect((await node.get(`/v1/transactions/${txHashOf(second)}`)).body).toMatchObject({ state: 'refused' });
  await node.post('/v1/transactions', first);
  const clear = await node.post('/v1/transactions', second);
  expect([clear.status, node.composer.queued]).toEqual([202, [first, second]]);
  await node.block();
  expect(node.node.committedNonce(alice.account)).toBe(2);
});

// Defect: Messenger: sequenced transactions that were not executed unknown after a restart
test('after a restart, what is sequenced and not executed yet counts, and the next nonce is taken at once', async () => {
  const store = createMemoryStore();
  const composer = new FakeComposer();
  const before = await testNode(tallyRollup(), { store, composer });
  await before.post('/v1/transactions', first);
  await before.stop();
  const data = composer.sequence(11n);
  const node = await started({ store, composer });
  expect(node.node.nextNonce(alice.account)).toBe(1);
  expect((await node.post('/v1/transactions', second)).status).toBe(202);
  await node.block({ data: [...data, ...composer.sequence(11n)] });
  expect([node.node.committedNonce(alice.account), node.chain.view.block.refused]).toEqual([2, 0]);
});

// Defect: Messenger: after a restart, transactions of an account that could not pay took its nonce and the room of others
test.each([
  ['spends more than its account has', signSpend({ nonce: 0, amount: 5_000n }), 0],
  ['has a nonce that cannot be next', signSpend({ nonce: 57 }), 0],
  ['can be executed', first, 1],
])('what the composer holds counts after a restart as if it were submitted: one that %s', async (_, found, counted) => {
  const composer = new FakeComposer();
  composer.accept(found);
  const node = await started({ composer });
  expect((await node.get('/v1/status')).body).toMatchObject({ pending: counted });
  expect(node.node.nextNonce(alice.account)).toBe(counted);
  await node.block();
  expect(node.chain.view.block.refused).toBe(1 - counted);
});

test('what the composer holds beyond the bound on pending transactions does not count after a restart', async () => {
  const composer = new FakeComposer();
  for (const nonce of [0, 1, 2]) composer.accept(signSpend({ nonce }));
  const node = await started({ composer, bounds: { maxPending: 2 } });
  expect((await node.get('/v1/status')).body).toMatchObject({ pending: 2 });
});

// Defect: Bytes included again while they were sequenced and not yet executed
test('a copy of what is sequenced and not executed yet is not included again', async () => {
  const store = createMemoryStore();
  const composer = new FakeComposer();
  const before = await testNode(tallyRollup(), { store, composer });
  await before.post('/v1/transactions', first);
  await before.stop();
  const data = composer.sequence(11n);
  const node = await started({ store, composer });
  const { status, body } = await node.post('/v1/transactions', first);
  expect([status, body, composer.queued]).toEqual([202, { hash: txHashOf(first) }, []]);
  await node.block({ data });
  expect(node.node.committedNonce(alice.account)).toBe(1);
});

/** A node whose composer has only the original service and lost the answer to the first transaction, which it has. */
async function lostAnswer() {
  const clock = manualClock();
  const composer = new FakeComposer();
  composer.detectsCopies = false;
  const node = await started({ composer, clock });
  composer.mode = 'lost';
  const { status, body } = await node.post('/v1/transactions', first);
  expect([status, body]).toMatchObject(UNCLEAR);
  composer.mode = 'up';
  await clock.advance(2_000);
  await until(() => node.forwarder.ready);
  return { node, composer, clock };
}

test('a composer that does not detect copies gets nothing twice while a block may show it', async () => {
  const { node, composer, clock } = await lostAnswer();
  expect([(await node.post('/v1/transactions', first)).body, composer.copies]).toMatchObject([UNCLEAR[1], 0]);
  await clock.advance(10_000);
  expect(composer.copies).toBe(0);
  await node.block();
  expect(node.node.nextNonce(alice.account)).toBe(1);
  expect([(await node.post('/v1/transactions', second)).status, composer.copies]).toEqual([202, 0]);
});

test('what comes behind an unclear transaction is not acknowledged, and the reason is given', async () => {
  const { node } = await lostAnswer();
  const { status, body } = await node.post('/v1/transactions', second);
  expect([status, body]).toMatchObject([
    503,
    { error: { code: 'unavailable', message: expect.stringContaining(txHashOf(first)) } },
  ]);
  expect(node.composer.queued).toEqual([first]);
});

test('after a while the same bytes are sent again, acknowledged, and the next nonce with them', async () => {
  const { node, composer, clock } = await lostAnswer();
  composer.forget();
  await clock.advance(31_000);
  expect((await node.post('/v1/transactions', first)).status).toBe(202);
  await clock.advance(10);
  expect((await node.post('/v1/transactions', second)).status).toBe(202);
  expect(composer.queued).toEqual([first, second]);
});

test('an unclear transaction that is never sent again does not block its account forever', async () => {
  const { node, composer, clock } = await lostAnswer();
  composer.forget();
  await clock.advance(150_000);
  expect(node.node.nextNonce(alice.account)).toBe(0);
});

test('of a batch that a composer took one by one, only the one in doubt is unclear', async () => {
  const composer = new FakeComposer();
  composer.detectsCopies = false;
  const node = await started({ composer });
  const accept = composer.accept.bind(composer);
  composer.accept = (bytes) => {
    accept(bytes);
    if (composer.queued.length === 2) composer.mode = 'lost';
  };
  const items = [0, 1, 2, 3].map((nonce) => signSpend({ nonce }));
  const answers = await Promise.all(items.map((bytes) => node.post('/v1/transactions', bytes)));
  expect(answers.map(({ status, body }) => [status, (body as { error?: { code: string } }).error?.code])).toEqual([
    [202, undefined],
    [503, 'outcome-unknown'],
    [503, 'unavailable'],
    [503, 'unavailable'],
  ]);
  expect(composer.queued).toEqual(items.slice(0, 2));
});
