import { Code, ConnectError } from '@connectrpc/connect';
import { FakeSequencer, testSigner } from '@switchyard/client/testing';
import { manualClock, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { FakeRollup, ROLLUP } from './testing/fake-rollup.ts';
import { startConductor } from './testing/world.ts';

function world(blocks = 3) {
  const sequencer = new FakeSequencer();
  for (let height = 1; height <= blocks; height++) sequencer.produce(ROLLUP, `text ${height}`);
  return { sequencer, rollup: new FakeRollup() };
}

const texts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [`text ${from + index}`]);

test('what the sequencer has is executed in order, and each new block as it comes', async () => {
  const { sequencer, rollup } = world();
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(3n);
  sequencer.produce(ROLLUP);
  sequencer.produce(ROLLUP, 'text 5', 'more');
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual([...texts(1, 3), [], ['text 5', 'more']]);
  expect(rollup.commitments.firm.number).toBe(5n);
  expect(conductor.progress.status()).toMatchObject({
    reading: 'stream',
    sequencerHeight: 5n,
    verifiedHeight: 5n,
    nextHeight: 6n,
    lag: 0n,
    soft: 5n,
    firm: 5n,
    lastBlockTime: '2023-11-14T22:13:24.000Z',
  });
});

test('while one batch is executed the next one gathers', async () => {
  const { sequencer, rollup } = world(40);
  await using conductor = startConductor(sequencer, rollup);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  rollup.beforeExecution = () => held;
  await settle();
  await settle();
  release();
  await conductor.reaches(40n);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 40));
  expect(rollup.calls.length).toBeLessThan(12);
});

test('a rollup that starts at a later height, or has blocks already, gets only what it lacks', async () => {
  const { sequencer, rollup } = world(6);
  rollup.parameters = { ...rollup.parameters, rollupStartNumber: 10n, sequencerStartHeight: 3n };
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(13n);
  expect(rollup.texts.slice(10)).toEqual(texts(3, 6));
  expect(sequencer.asked).toContain('stream 3');
});

// Defect: Conductor without a secret lost its session after 15 s without blocks
test('without blocks, a conductor calls often enough that its rollup never takes it for idle', async () => {
  const { sequencer, rollup } = world();
  const clock = manualClock();
  const wanted: number[] = [];
  rollup.onQuestion = () => {
    wanted.push(clock.now());
    // Neither an error nor a lost answer ends the calls.
    if (wanted.length % 2 === 0)
      throw new ConnectError('away', wanted.length % 4 === 0 ? Code.NotFound : Code.Unavailable);
  };
  await using conductor = startConductor(sequencer, rollup, { clock });
  await clock.advance(0);
  await conductor.reaches(3n);
  await clock.advance(60_000);
  const gaps = wanted.map((at, index) => at - (wanted[index - 1] ?? 0));
  // A rollup of ours considers a caller idle after 15 s.
  expect([wanted.length >= 12, Math.max(...gaps)]).toEqual([true, 5_000]);
  sequencer.produce(ROLLUP, 'text 4');
  await conductor.reaches(4n);
  expect(rollup.calls.filter((call) => call === 'session')).toHaveLength(1);
});

test('a session that the rollup ends is replaced, and continues where the rollup stands', async () => {
  const { sequencer, rollup } = world();
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(3n);
  rollup.forgetSession();
  sequencer.produce(ROLLUP, 'text 4');
  await conductor.reaches(4n);
  sequencer.produce(ROLLUP, 'text 5');
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 5));
  expect(conductor.messages()).toContain('the rollup ended the session; opening a new one');
});

// Defect: each session that a rollup ended made a line of the log for ever
test('a rollup that ends each session at once does not fill the log', async () => {
  const { sequencer, rollup } = world();
  let ended = 0;
  rollup.beforeExecution = () => {
    if (ended === 50) return;
    ended += 1;
    throw new ConnectError(`no session ${ended}`, Code.PermissionDenied);
  };
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(3n);
  const logged = conductor.lines.filter(({ level }) => level !== 'debug').map(({ msg }) => msg);
  const find = (word: RegExp) => logged.filter((msg) => word.test(String(msg))).length;
  expect([ended, find(/ended the session/), find(/session opened/)]).toEqual([50, 1, 1]);
});

test('at the end of a session a new one is opened', async () => {
  const { sequencer, rollup } = world(6);
  rollup.parameters = { ...rollup.parameters, rollupEndNumber: 2n };
  rollup.beforeExecution = () => {
    if (rollup.commitments.soft.number === 2n) throw new Error('must not be asked for');
  };
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(2n);
  rollup.beforeExecution = () => undefined;
  rollup.parameters = { ...rollup.parameters, rollupStartNumber: 3n, rollupEndNumber: 5n, sequencerStartHeight: 3n };
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 5));
});

test('a sequencer that cannot push is polled', async () => {
  const { sequencer, rollup } = world(50);
  sequencer.pushes = false;
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(50n);
  sequencer.produce(ROLLUP, 'text 51');
  await conductor.reaches(51n);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 51));
  expect(conductor.progress.status()).toMatchObject({ reading: 'poll' });
});

test('a rollup without batches gets its blocks one by one', async () => {
  const { sequencer, rollup } = world(5);
  rollup.canBatch = false;
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 5));
});

test('a sequencer that goes away is waited for, with one line about it', async () => {
  const { sequencer, rollup } = world();
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(3n);
  sequencer.away = true;
  sequencer.stir();
  for (let turn = 0; turn < 20; turn++) await settle();
  sequencer.away = false;
  sequencer.produce(ROLLUP, 'text 4');
  await conductor.reaches(4n);
  const about = conductor.messages().filter((message) => String(message).includes('the sequencer'));
  expect(about).toContain('waiting for the sequencer');
  expect(about).toContain('connected to the sequencer');
  expect(about.filter((message) => message === 'waiting for the sequencer')).toHaveLength(1);
});

test('peers that are absent at the start are waited for', async () => {
  const { sequencer, rollup } = world();
  sequencer.away = true;
  rollup.failures.push(...new Array(5).fill(new ConnectError('connection refused', Code.Unavailable)));
  await using conductor = startConductor(sequencer, rollup);
  for (let turn = 0; turn < 20; turn++) await settle();
  sequencer.away = false;
  await conductor.reaches(3n);
  expect(conductor.messages()).toContain('waiting for the rollup');
  expect(conductor.messages()).toContain('waiting for the sequencer');
});

test('a sequencer behind the rollup is waited for, and reported as behind', async () => {
  const { sequencer, rollup } = world();
  const { soft } = rollup.commitments;
  rollup.commitments = { ...rollup.commitments, soft: { ...soft, number: 5n, hash: 'block 5' } };
  await using conductor = startConductor(sequencer, rollup);
  await expect
    .poll(() => conductor.messages())
    .toContain(
      'the sequencer is behind the rollup: it is catching up, or was restored from an older backup; waiting for it',
    );
  for (const text of ['text 4', 'text 5', 'text 6']) sequencer.produce(ROLLUP, text);
  await conductor.reaches(6n);
  expect(rollup.texts.slice(6)).toEqual([['text 6']]);
});

test('a block that was damaged on its way is asked for again', async () => {
  const { sequencer, rollup } = world();
  let damaged = 2;
  sequencer.tamper = (block, signed) =>
    block.header.height === 2n && damaged-- > 0 ? [{ ...block, hash: new Uint8Array(32) }, signed] : [block, signed];
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(3n);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 3));
});

test('a block that never verifies ends the conductor with one line, and is not executed', async () => {
  const { sequencer, rollup } = world();
  sequencer.tamper = (block, signed) =>
    block.header.height === 2n ? [{ ...block, rollups: [] }, signed] : [block, signed];
  await using conductor = startConductor(sequencer, rollup);
  const error = await conductor.ended;
  expect(String(error)).toMatch(/cannot follow the sequencer: .*block 2.*withheld/);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 1));
});

test('a sequencer whose chain was started anew under the rollup is refused', async () => {
  const { sequencer, rollup } = world();
  const { soft } = rollup.commitments;
  const standing = { ...soft, number: 1n, hash: 'block 1', sequencerBlockHash: 'ab'.repeat(32) };
  rollup.commitments = { ...rollup.commitments, soft: standing };
  await using conductor = startConductor(sequencer, rollup);
  expect(String(await conductor.ended)).toContain('does not follow the block before it');
});

test.each([
  ['the rollup names another chain than the operator', 'test-chain', 'other', 'the rollup follows another chain'],
  [
    'the sequencer is of another chain than the rollup',
    'other',
    undefined,
    "the sequencer's chain id does not match the rollup",
  ],
  ['the sequencer is of another chain than the one in the settings', '', 'other', 'expected other, got test-chain'],
])('ends with one line where %s', async (_, named, expected, problem) => {
  const { sequencer, rollup } = world();
  rollup.parameters = { ...rollup.parameters, sequencerChainId: named };
  await using conductor = startConductor(sequencer, rollup, { expectedChainId: expected });
  expect(String(await conductor.ended)).toContain(problem);
});

test('a rollup that names no chain follows the one there is', async () => {
  const { sequencer, rollup } = world();
  rollup.parameters = { ...rollup.parameters, sequencerChainId: '' };
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(3n);
  expect(conductor.progress.status()).toMatchObject({ sequencerChainId: 'test-chain' });
});

test('a rollup that refuses a block for good ends the conductor', async () => {
  const { sequencer, rollup } = world();
  rollup.beforeExecution = () => {
    throw new ConnectError('this block is beyond me', Code.Internal);
  };
  await using conductor = startConductor(sequencer, rollup);
  expect(String(await conductor.ended)).toContain('this block is beyond me');
});

test('new validators are followed as they were announced', async () => {
  const { sequencer, rollup } = world();
  sequencer.changeValidators([testSigner(2), testSigner(3), testSigner(4)]);
  for (let height = 4; height <= 8; height++) sequencer.produce(ROLLUP, `text ${height}`);
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(8n);
  expect(rollup.texts.slice(1)).toEqual(texts(1, 8));
});

test('it stops with its signal, in the middle of anything', async () => {
  const { sequencer, rollup } = world();
  const conductor = startConductor(sequencer, rollup);
  rollup.beforeExecution = () => new Promise(() => undefined);
  await settle();
  await conductor[Symbol.asyncDispose]();
  expect(String(await conductor.ended)).toContain('the test is over');
});
