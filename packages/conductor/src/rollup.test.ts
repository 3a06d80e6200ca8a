import { connect as connectTcp, createServer } from 'node:net';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { execution2, ownExecution } from '@switchyard/protocol/gen';
import { encodeSequencedData } from '@switchyard/protocol/testing';
import { grpcTransport, serveGrpc } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { Contact } from './contact.ts';
import { createRollup, SessionEnded } from './rollup.ts';
import { FakeRollup } from './testing/fake-rollup.ts';
import { impatientClock } from './testing/world.ts';
import type { VerifiedBlock } from './verify.ts';

const { signal } = new AbortController();

function connect(fake: FakeRollup) {
  const { log, lines } = memoryLogger();
  const contact = new Contact('rollup', 'http://x', log);
  const clock = impatientClock();
  return { lines, contact, rollup: createRollup({ transport: fake.transport(), contact, clock, random: () => 0 }) };
}

const block = (height: bigint, ...texts: string[]): VerifiedBlock => ({
  height,
  hash: String(height).padStart(64, '0') as VerifiedBlock['hash'],
  time: { seconds: height, nanos: 1 },
  transactions: texts.map((text) => encodeSequencedData(new TextEncoder().encode(text))),
  bytes: 100,
});

const three = [block(1n, 'a', 'b'), block(2n), block(3n, 'c')];

test.each([
  ['in one call', true, ['session', 'batch 3']],
  ['one by one', false, ['session', 'execute', 'update', 'execute', 'update', 'execute', 'update']],
])('blocks are executed %s, and committed as soft and firm', async (_, canBatch, calls) => {
  const fake = new FakeRollup();
  fake.canBatch = canBatch;
  const { rollup } = connect(fake);
  const session = await rollup.openSession('SoftIsFirm', signal);
  const { commitments } = await rollup.execute(session, session.commitments, three, 'SoftIsFirm', signal);
  expect(commitments).toEqual(fake.commitments);
  expect(commitments.soft).toEqual({
    number: 3n,
    hash: 'block 3',
    parentHash: 'block 2',
    timestamp: { seconds: 3n, nanos: 1 },
    sequencerBlockHash: '3'.padStart(64, '0'),
  });
  expect(commitments.firm).toEqual(commitments.soft);
  expect(fake.texts.slice(1)).toEqual([['a', 'b'], [], ['c']]);
  expect(fake.calls).toEqual(calls);
});

test.each([true, false])('the firm block stays where only soft ones are asked for (batches: %s)', async (canBatch) => {
  const fake = new FakeRollup();
  fake.canBatch = canBatch;
  const { rollup } = connect(fake);
  const session = await rollup.openSession('SoftIsFirm', signal);
  const { soft, firm } = (await rollup.execute(session, session.commitments, three, 'SoftOnly', signal)).commitments;
  expect([soft.number, firm.number]).toEqual([3n, 0n]);
});

test('a rollup that is away is waited for, and logged as away once', async () => {
  const fake = new FakeRollup();
  const { rollup, lines, contact } = connect(fake);
  const codes = [Code.Unavailable, Code.Unknown, Code.DeadlineExceeded, Code.Aborted];
  fake.failures.push(...codes.map((code) => new ConnectError('not now', code)));
  const session = await rollup.openSession('SoftIsFirm', signal);
  expect(contact.trouble).toBeUndefined();
  fake.failures.push(new ConnectError('not now', Code.ResourceExhausted));
  const { soft } = (await rollup.execute(session, session.commitments, three, 'SoftIsFirm', signal)).commitments;
  expect(soft.number).toBe(3n);
  expect(fake.calls).toEqual([...new Array(5).fill('session'), 'batch 3', 'batch 3']);
  expect(lines.filter(({ msg }) => msg === 'waiting for the rollup')).toHaveLength(2);
});

test('a session that the rollup does not know has ended', async () => {
  const fake = new FakeRollup();
  const { rollup } = connect(fake);
  const session = await rollup.openSession('SoftIsFirm', signal);
  fake.forgetSession();
  await expect(rollup.execute(session, session.commitments, three, 'SoftIsFirm', signal)).rejects.toThrow(SessionEnded);
});

test('a block that the rollup has no longer ends the session, since an older copy is in its place', async () => {
  const { rollup } = connect(new FakeRollup());
  await rollup.openSession('SoftIsFirm', signal);
  await expect(rollup.block(7n, signal)).rejects.toThrow(
    expect.objectContaining({ name: 'SessionEnded', message: 'the rollup has no block 7 any more' }),
  );
});

test('what the rollup refuses for good is not tried again', async () => {
  const fake = new FakeRollup();
  const { rollup } = connect(fake);
  const session = await rollup.openSession('SoftIsFirm', signal);
  fake.failures.push(new ConnectError('parent is not the soft block', Code.FailedPrecondition));
  await expect(rollup.execute(session, session.commitments, three, 'SoftIsFirm', signal)).rejects.toThrow(
    'parent is not the soft block',
  );
  expect(fake.calls).toEqual(['session', 'batch 3']);
});

test.each([
  ['skips a number', { number: 7n }, 'became number 7, expected 1'],
  ['names another parent', { parentHash: 'block 5' }, 'has parent block 5, expected block 0'],
  [
    'names another sequencer block',
    { sequencerBlockHash: 'ab'.repeat(32) },
    `names sequencer block ${'ab'.repeat(32)}`,
  ],
])('a rollup that %s breaks the contract', async (_, change, problem) => {
  for (const canBatch of [true, false]) {
    const fake = new FakeRollup();
    fake.canBatch = canBatch;
    fake.bend = (executed) => ({ ...executed, ...change });
    const { rollup } = connect(fake);
    const session = await rollup.openSession('SoftIsFirm', signal);
    await expect(rollup.execute(session, session.commitments, three, 'SoftIsFirm', signal)).rejects.toThrow(problem);
  }
});

test('a soft block that is not the one just executed breaks the contract', async () => {
  const fake = new FakeRollup();
  const { rollup } = connect(fake);
  const session = await rollup.openSession('SoftIsFirm', signal);
  const elsewhere = { ...session.commitments.soft, number: 9n, hash: 'block 9' };
  fake.bendCommitments = (commitments) => ({ ...commitments, soft: elsewhere });
  await expect(rollup.execute(session, session.commitments, three, 'SoftOnly', signal)).rejects.toThrow(
    'its soft block is 9 block 9, expected 3 block 3',
  );
});

test('a session without its parts breaks the contract', async () => {
  const transport = createRouterTransport((router) => {
    router.service(execution2.ExecutionService, { createExecutionSession: () => ({ sessionId: 'x' }) });
  });
  const { contact } = connect(new FakeRollup());
  const rollup = createRollup({ transport, contact, clock: impatientClock(), random: () => 0 });
  await expect(rollup.openSession('SoftIsFirm', signal)).rejects.toThrow('breaks the execution contract');
});

test('waiting for a rollup ends with the signal', async () => {
  const stop = new AbortController();
  const fake = new FakeRollup();
  fake.failures.push(...new Array(1_000).fill(new ConnectError('not now', Code.Unavailable)));
  const { rollup } = connect(fake);
  const opening = rollup.openSession('SoftIsFirm', stop.signal);
  stop.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
});

// Defect: Conductor ended by a connection that was reset
test('a connection that is reset, at whatever byte, is made again and everything executed once', async () => {
  const fake = new FakeRollup();
  const anywhere = { host: '127.0.0.1', port: 0 };
  await using server = Object.assign(
    await serveGrpc({
      listen: anywhere,
      name: 'X',
      services: [execution2.ExecutionService, ownExecution.BatchExecutionService],
      routes: (router) => fake.routes(router),
      graceMs: 20,
    }),
    { [Symbol.asyncDispose]: () => server.close() },
  );
  // Each connection gets a little further than the one before it.
  let budget = 0;
  const proxy = createServer((near) => {
    const far = connectTcp(server.port, '127.0.0.1');
    budget += 9;
    let left = budget;
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far);
    far.on('data', (bytes) => {
      near.write(bytes.subarray(0, left));
      left -= Math.min(left, bytes.length);
      if (left === 0) setImmediate(() => void near.resetAndDestroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  const transport = grpcTransport(`http://127.0.0.1:${address.port}`);
  const { contact } = connect(fake);
  const rollup = createRollup({ transport, contact, clock: impatientClock(), random: () => 0 });
  try {
    const session = await rollup.openSession('SoftIsFirm', signal);
    const { soft } = (await rollup.execute(session, session.commitments, three, 'SoftIsFirm', signal)).commitments;
    expect(soft).toMatchObject({ number: 3n, sequencerBlockHash: '3'.padStart(64, '0') });
    expect(fake.texts.slice(1)).toEqual([['a', 'b'], [], ['c']]);
    expect(budget).toBeGreaterThan(40);
  } finally {
    transport.close();
    proxy.close();
  }
});

test('a rollup that wants another secret is asked again at leisure, and the setting to check is named once', async () => {
  const fake = new FakeRollup();
  const { log, lines } = memoryLogger();
  const contact = new Contact('rollup', 'http://x', log, 'SVC_CONDUCTOR_EXECUTION_SECRET_FILE');
  const clock = impatientClock();
  const rollup = createRollup({ transport: fake.transport(), contact, clock, random: () => 0 });
  const refusal = 'a peer on another machine needs a secret: this call shows none';
  fake.failures.push(...[1, 2, 3].map(() => new ConnectError(refusal, Code.Unauthenticated)));
  await rollup.openSession('SoftIsFirm', signal);
  expect(fake.calls).toEqual(new Array(4).fill('session'));
  expect(clock.now()).toBe(30_000);
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    { setting: 'SVC_CONDUCTOR_EXECUTION_SECRET_FILE', reason: expect.stringContaining(refusal) },
  ]);
  expect(lines.at(-1)?.msg).toBe('connected to the rollup');
});
