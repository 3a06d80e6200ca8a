import { createMemoryStore, nonces } from '@switchyard/machine';
import { type Envelope, txHashOf } from '@switchyard/protocol';
import { manualClock } from '@switchyard/service/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeComposer } from '../testing/fake-composer.ts';
import { framed, signers, signSpend, tallyRollup } from '../testing/tally.ts';
import { type TestNodeOptions, testNode, until } from '../testing/test-node.ts';
import { inlineVerifier, type SignatureVerifier } from './signatures/verifier.ts';

const [alice, bob] = signers;
const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started(options: TestNodeOptions = {}, held = 1_000n) {
  const node = await testNode(tallyRollup(undefined, held), options);
  nodes.push(node);
  return node;
}

function flipped(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[10] = (copy[10] ?? 0) ^ 1;
  return copy;
}

test('passes a good transaction on, unchanged, and answers its hash', async () => {
  const node = await started();
  const bytes = signSpend({ nonce: 0 });
  const { status, body } = await node.post('/v1/transactions', bytes);
  expect([status, body]).toEqual([202, { hash: txHashOf(bytes) }]);
  expect(node.composer.queued).toEqual([bytes]);
});

test('the route of the wire answers 200 with a JSON string', async () => {
  const node = await started();
  const { status, body } = await node.post('/submit_transaction', signSpend({ nonce: 0 }));
  expect([status, body]).toEqual([200, expect.stringContaining('submitted to sequencer')]);
});

test.each([
  ['nothing', new Uint8Array(0), 400, 'empty'],
  ['garbage', Uint8Array.of(1, 2, 3), 400, 'malformed'],
  ['too many bytes', new Uint8Array(1_001), 413, 'too-large'],
  ['a wrong signature', flipped(signSpend({ nonce: 0 })), 400, 'bad-signature'],
  ['another encoding', Uint8Array.from([...signSpend({ nonce: 0 }), 0x20, 1]), 400, 'not-canonical'],
  ['another chain', signSpend({ nonce: 0, chainId: 'other' }), 400, 'wrong-chain'],
  ['a gap in the nonces', signSpend({ nonce: 1 }), 409, 'nonce-too-high'],
  ['more than is held', signSpend({ nonce: 0, amount: 1_001n }), 422, 'insufficient-balance'],
  ['an action that is refused', signSpend({ nonce: 0, amount: 0n }), 400, 'empty'],
])('refuses %s with a reason, on every route, and passes nothing on', async (_, bytes, status, code) => {
  const node = await started();
  for (const path of ['/submit_transaction', '/v1/transactions']) {
    const answer = await node.post(path, bytes);
    expect([answer.status, answer.body]).toMatchObject([status, { error: { code, message: expect.any(String) } }]);
  }
  const batch = await node.post('/v1/transactions:batch', framed(bytes));
  expect([batch.status, batch.body]).toMatchObject([200, { accepted: 0, refused: [{ index: 0, code }] }]);
  expect(node.composer.queued).toEqual([]);
});

test('a block is the same whether this node has seen its transactions before or not', async () => {
  const items = [signSpend({ nonce: 0 }), signSpend({ nonce: 1, amount: 7n }), signSpend({ nonce: 0 }, bob)];
  const through = await started();
  await through.post('/v1/transactions:batch', framed(...items));
  const past = await started();
  expect(await through.block()).toEqual(await past.block({ data: items }));
  expect(through.chain.view.block).toMatchObject({ executed: 3, refused: 0 });
});

test('reports the expected nonce', async () => {
  const node = await started();
  await node.post('/v1/transactions', signSpend({ nonce: 0 }));
  await node.block();
  const low = await node.post('/v1/transactions', signSpend({ nonce: 0, amount: 2n }));
  expect([low.status, low.body]).toMatchObject([
    409,
    { error: { code: 'nonce-too-low', facts: { expected: 1, got: 0 } } },
  ]);
  const high = await node.post('/v1/transactions', signSpend({ nonce: 5 }));
  expect(high.body).toMatchObject({ error: { code: 'nonce-too-high', facts: { expected: 1, got: 5 } } });
});

// Defect: a rollup took a transaction with the last nonce, which its blocks refuse
test('refuses the last nonce as execution does', async () => {
  const store = createMemoryStore();
  const last = 0xffff_ffff;
  const definition = tallyRollup();
  const node = await testNode(
    {
      ...definition,
      initialState(state) {
        definition.initialState(state);
        nonces.put(state, alice.account, last);
      },
    },
    { store },
  );
  nodes.push(node);
  const bytes = signSpend({ nonce: last });
  const answer = await node.post('/v1/transactions', bytes);
  await node.block({ data: [bytes] });
  const executed = node.chain.outcomes.recent(txHashOf(bytes));
  expect(answer.body).toMatchObject({ error: { code: 'overflow', facts: { nonce: last } } });
  expect(executed).toMatchObject({ code: 10 });
  expect(node.composer.queued).toEqual([]);
});

test('two quick sends get two nonces, and the count survives execution', async () => {
  const node = await started();
  expect(node.node.nextNonce(alice.account)).toBe(0);
  await node.post('/v1/transactions', signSpend({ nonce: 0 }));
  expect([node.node.nextNonce(alice.account), node.node.committedNonce(alice.account)]).toEqual([1, 0]);
  await node.post('/v1/transactions', signSpend({ nonce: 1 }));
  await node.block();
  expect([node.node.nextNonce(alice.account), node.node.committedNonce(alice.account)]).toEqual([2, 2]);
});

test('the same bytes again are the same transaction', async () => {
  const node = await started();
  const bytes = signSpend({ nonce: 0 });
  const answers = await Promise.all([1, 2, 3].map(() => node.post('/v1/transactions', bytes)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(node.composer.queued).toEqual([bytes]);
});

test('an account cannot promise more than it holds', async () => {
  const node = await started({}, 10n);
  await node.post('/v1/transactions', signSpend({ nonce: 0, amount: 7n }));
  const { status, body } = await node.post('/v1/transactions', signSpend({ nonce: 1, amount: 4n }));
  expect([status, body]).toMatchObject([422, { error: { facts: { held: 10, pending: 7, needed: 4 } } }]);
  expect((await node.post('/v1/transactions', signSpend({ nonce: 1, amount: 3n }))).status).toBe(202);
});

test('a batch accepts what is valid and reports what is not', async () => {
  const node = await started();
  const [first, second] = [signSpend({ nonce: 0 }), signSpend({ nonce: 1 })];
  const body = framed(first, Uint8Array.of(9), second, signSpend({ nonce: 0 }, bob));
  const answer = await node.post('/v1/transactions:batch?hashes=1', body);
  expect(answer.body).toEqual({
    accepted: 3,
    hashes: [txHashOf(first), null, txHashOf(second), txHashOf(signSpend({ nonce: 0 }, bob))],
    refused: [{ index: 1, code: 'malformed', reason: expect.any(String) }],
  });
});

test.each([
  ['nothing', new Uint8Array(0), 400],
  ['half a length', Uint8Array.of(0, 0), 400],
  ['a length beyond the end', Uint8Array.of(0, 0, 0, 9, 1), 400],
  ['too many items', Buffer.alloc(4 * 4_097), 413],
])('refuses a batch of %s', async (_, body, status) => {
  const node = await started();
  expect((await node.post('/v1/transactions:batch', body)).status).toBe(status);
});

test('without a composer it refuses and keeps answering, and accepts again once one is connected', async () => {
  const composer = new FakeComposer();
  composer.mode = 'down';
  const clock = manualClock();
  const node = await started({ composer, clock });
  const bytes = signSpend({ nonce: 0 });
  for (const path of ['/submit_transaction', '/v1/transactions']) {
    const { status, body } = await node.post(path, bytes);
    expect([status, body]).toMatchObject([
      503,
      { error: { code: 'unavailable', message: expect.stringMatching(/composer is not reachable/) } },
    ]);
  }
  expect((await node.post('/v1/transactions:batch', framed(bytes))).status).toBe(503);
  expect([(await node.get('/healthz')).status, (await node.get('/readyz')).status]).toEqual([200, 503]);
  expect((await node.get('/v1/status')).body).toMatchObject({ composer: 'unreachable', pending: 0 });
  composer.mode = 'up';
  await clock.advance(2_000);
  await until(() => node.forwarder.ready);
  expect((await node.post('/v1/transactions', bytes)).status).toBe(202);
  expect((await node.get('/readyz')).status).toBe(200);
});

test('what a full composer refuses is not counted', async () => {
  const node = await started();
  node.composer.mode = 'full';
  const answers = await Promise.all([0, 1].map((nonce) => node.post('/v1/transactions', signSpend({ nonce }))));
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect(answers[0]?.body).toMatchObject({ error: { message: expect.stringMatching(/composer is full/) } });
  node.composer.mode = 'up';
  expect(node.node.nextNonce(alice.account)).toBe(0);
  expect((await node.post('/v1/transactions', signSpend({ nonce: 0 }))).status).toBe(202);
});

test('a batch that does not fit is refused whole', async () => {
  const node = await started({ bounds: { maxPending: 2 } });
  const items = [0, 1, 2].map((nonce) => signSpend({ nonce }));
  const { status, body } = await node.post('/v1/transactions:batch', framed(...items));
  expect([status, body]).toMatchObject([
    503,
    { error: { message: expect.stringMatching(/too many transactions wait/) } },
  ]);
  expect(node.composer.queued).toEqual([]);
  expect((await node.post('/v1/transactions:batch', framed(...items.slice(0, 2)))).body).toMatchObject({ accepted: 2 });
  await node.block();
  expect((await node.post('/v1/transactions', items[2] ?? '')).status).toBe(202);
});

test('after a restart it counts what the composer still holds, but only what is signed', async () => {
  const store = createMemoryStore();
  const composer = new FakeComposer();
  const first = await testNode(tallyRollup(), { store, composer });
  await first.post('/v1/transactions', signSpend({ nonce: 0 }));
  await first.post('/v1/transactions', signSpend({ nonce: 1 }));
  await first.stop();
  composer.accept(Uint8Array.of(1, 2, 3));
  composer.accept(flipped(signSpend({ nonce: 0 }, bob)));

  const again = await started({ store, composer });
  expect([again.node.nextNonce(alice.account), again.node.nextNonce(bob.account)]).toEqual([2, 0]);
  await again.block();
  expect([again.node.nextNonce(alice.account), again.chain.view.block.executed]).toEqual([2, 2]);
});

test('lets go of what the composer has refused in the end', async () => {
  const clock = manualClock();
  const node = await started({ clock });
  const bytes = signSpend({ nonce: 0 });
  await node.post('/v1/transactions', bytes);
  node.composer.refused.set(txHashOf(bytes), 'no sequencer takes it');
  await clock.advance(30_000);
  await until(() => node.node.nextNonce(alice.account) === 0);
  expect((await node.get(`/v1/transactions/${txHashOf(bytes)}`)).body).toMatchObject({
    state: 'refused',
    reason: 'no sequencer takes it',
  });
});

test('reports the state of a transaction: queued, sequenced, executed, firm', async () => {
  const node = await started();
  const bytes = signSpend({ nonce: 0 });
  const path = `/v1/transactions/${txHashOf(bytes)}`;
  expect([(await node.get(path)).status, (await node.get('/v1/transactions/xyz')).status]).toEqual([404, 400]);
  await node.post('/v1/transactions', bytes);
  expect((await node.get(path)).body).toMatchObject({ state: 'queued' });
  const data = node.composer.sequence(11n);
  expect((await node.get(path)).body).toMatchObject({ state: 'sequenced', sequencerHeight: 11 });
  await node.block({ data, firm: false });
  expect((await node.get(path)).body).toMatchObject({ state: 'executed', block: 1, index: 0, sequencerHeight: 11 });
  await node.block();
  expect((await node.get(path)).body).toMatchObject({ state: 'firm', block: 1 });
});

test('a question may wait for the answer', async () => {
  const node = await started();
  const bytes = signSpend({ nonce: 0 });
  const path = `/v1/transactions/${txHashOf(bytes)}`;
  await node.post('/v1/transactions', bytes);
  const executed = node.get(`${path}?wait=executed&timeoutMs=10000`);
  const firm = node.get(`${path}?wait=firm&timeoutMs=10000`);
  await new Promise(setImmediate);
  await node.block({ firm: false });
  expect((await executed).body).toMatchObject({ state: 'executed' });
  await node.block();
  expect((await firm).body).toMatchObject({ state: 'firm' });
  expect((await node.get(`${path}?wait=never`)).status).toBe(400);
});

test('waiting clients are answered when the node stops', async () => {
  const node = await testNode(tallyRollup());
  const bytes = signSpend({ nonce: 0 });
  await node.post('/v1/transactions', bytes);
  const waiting = node.get(`/v1/transactions/${txHashOf(bytes)}?wait=executed&timeoutMs=60000`);
  await new Promise(setImmediate);
  await node.stop();
  expect((await waiting).body).toMatchObject({ state: 'queued' });
});

test('a wait that takes too long answers what is known', async () => {
  const clock = manualClock();
  const node = await started({ clock });
  const bytes = signSpend({ nonce: 0 });
  await node.post('/v1/transactions', bytes);
  const waiting = node.get(`/v1/transactions/${txHashOf(bytes)}?wait=executed&timeoutMs=3000`);
  await clock.advance(2_000);
  await clock.advance(2_000);
  expect((await waiting).body).toMatchObject({ state: 'queued' });
});

test('a client that asks too much is slowed down', async () => {
  const node = await started({ bounds: { maxRequestsPerSecond: 1 } });
  const statuses = [];
  for (let request = 0; request < 4; request += 1) statuses.push((await node.get('/healthz')).status);
  expect(statuses).toContain(429);
});

// Defect: Clients locked out after the wall clock was set back
test('setting the wall clock back or forward neither locks a client out nor fills its bucket', async () => {
  const clock = manualClock();
  const node = await started({ clock, bounds: { maxRequestsPerSecond: 1 } });
  const status = async () => (await node.get('/healthz')).status;
  const wall = vi.spyOn(Date, 'now');
  try {
    const start = 1_750_000_000_000;
    wall.mockReturnValue(start);
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    wall.mockReturnValue(start + 3_600_000);
    expect(await status()).toBe(429);
    wall.mockReturnValue(start - 3_600_000);
    await clock.advance(2_000);
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  } finally {
    wall.mockRestore();
  }
});

test('one trailing slash is tolerated', async () => {
  const node = await started();
  expect((await node.get('/v1/status/')).status).toBe(200);
  expect((await node.post('/submit_transaction/', signSpend({ nonce: 0 }))).status).toBe(200);
});

test('status shows where the rollup stands', async () => {
  const node = await started();
  await node.block({ data: [signSpend({ nonce: 0 })], firm: false });
  expect((await node.get('/v1/status')).body).toMatchObject({
    rollup: 'tally',
    chainId: 'tally-1',
    sequencerHeight: 11,
    soft: { number: 1, time: '2023-11-14T22:13:21Z', executed: 1 },
    firm: { number: 0 },
    composer: 'connected',
  });
});

/** Verifies on demand, and records the size of each request. */
function slowVerifier() {
  const wanted: number[] = [];
  const waiting: (() => void)[] = [];
  return {
    asked: wanted,
    verify: async (envelopes: readonly Envelope[]) => {
      wanted.push(envelopes.length);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return inlineVerifier.verify(envelopes);
    },
    /** Lets the newest one go first. */
    answer: () => waiting.pop()?.(),
  };
}

test('whatever comes while a batch is verified waits behind it: nonces count in the order of arrival', async () => {
  const verifier = slowVerifier();
  const node = await started({ verifier });
  const bytes = [0, 1, 2, 3].map((nonce) => signSpend({ nonce }));
  const batch = node.post('/v1/transactions:batch', framed(...bytes.slice(0, 2)));
  await until(() => verifier.asked.length === 1);
  const single = node.post('/v1/transactions', bytes[2] ?? '');
  const last = node.post('/v1/transactions:batch', framed(...bytes.slice(3)));
  await until(() => verifier.asked.length === 3);
  for (const _ of verifier.asked) verifier.answer();
  const answers = await Promise.all([batch, single, last]);
  expect(answers.map(({ status }) => status)).toEqual([200, 202, 200]);
  expect(node.composer.queued).toEqual(bytes);
});

// Defect: Every submission waited for the verification of all batches before it
test('a transaction of another account does not wait for a batch that is verified', async () => {
  const verifier = slowVerifier();
  const node = await started({ verifier });
  const batch = node.post('/v1/transactions:batch', framed(...[0, 1].map((nonce) => signSpend({ nonce }))));
  await until(() => verifier.asked.length === 1);
  const other = await node.post('/v1/transactions', signSpend({ nonce: 0 }, bob));
  expect(other.status).toBe(202);
  verifier.answer();
  expect((await batch).status).toBe(200);
});

test('a signature is not looked at where the rest of the transaction is enough to refuse it', async () => {
  const verifier = slowVerifier();
  const node = await started({ verifier });
  const invalid = [signSpend({ nonce: 9 }), signSpend({ nonce: 0, chainId: 'other' }), Uint8Array.of(1)];
  const answered = node.post('/v1/transactions:batch', framed(...invalid, flipped(signSpend({ nonce: 0 }))));
  await until(() => verifier.asked.length === 1);
  verifier.answer();
  const { body } = await answered;
  expect(body).toMatchObject({
    accepted: 0,
    refused: [{ code: 'nonce-too-high' }, { code: 'wrong-chain' }, { code: 'malformed' }, { code: 'bad-signature' }],
  });
  expect(verifier.asked).toEqual([1]);
});

// Defect: Batches with wrong signatures verified without end
test('after thousands of refused transactions of an address, its next ones are not verified for a while', async () => {
  const clock = manualClock();
  let verified = 0;
  const verifier: SignatureVerifier = {
    verify(envelopes) {
      verified += envelopes.length;
      return inlineVerifier.verify(envelopes);
    },
  };
  const node = await started({ clock, verifier });
  const invalid = framed(...Array.from({ length: 1_000 }, () => flipped(signSpend({ nonce: 0 }))));
  for (let count = 0; count < 5; count += 1) {
    expect((await node.post('/v1/transactions:batch', invalid)).status).toBe(200);
  }
  const timers = clock.pending;
  const answers = [
    ...Array.from({ length: 5 }, () => node.post('/v1/transactions:batch', invalid)),
    node.post('/v1/transactions', signSpend({ nonce: 0 })),
    node.post('/submit_transaction', signSpend({ nonce: 0 })),
  ];
  // Held for a moment, since who sends the next one on the answer would keep the node busy with reading.
  await until(() => clock.pending === timers + answers.length);
  await clock.advance(250);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(7).fill(429));
  expect(verified).toBe(5_000);
  await clock.advance(1_000);
  expect((await node.post('/v1/transactions', signSpend({ nonce: 0 }))).status).toBe(202);
});

test('transactions that the node cannot take just now do not count as refused', async () => {
  const composer = new FakeComposer();
  composer.mode = 'down';
  const node = await started({ composer });
  const batch = framed(...Array.from({ length: 4_000 }, () => signSpend({ nonce: 0 })));
  for (let count = 0; count < 4; count += 1) {
    expect((await node.post('/v1/transactions:batch', batch)).status).toBe(503);
  }
});
