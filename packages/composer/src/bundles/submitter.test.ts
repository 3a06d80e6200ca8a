import { type Denom, parseDenom, txHashOf } from '@switchyard/protocol';
import { bob } from '@switchyard/protocol/testing';
import { memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { createComposer } from '../composer.ts';
import { GROUPS } from '../queue/items.ts';
import { createJournal, type Records } from '../queue/journal.ts';
import type { FeeRate, Sequencer } from '../sequencer/sequencer.ts';
import { CHAT, GAME, makeItem, payer, toText } from '../testing/builders.ts';
import { ModelSequencer, REFUSED_ON_ARRIVAL } from '../testing/model-sequencer.ts';
import { SimulatedDisk, SimulatedTime } from '../testing/world.ts';
import { payerId } from './bundle.ts';

const CONFIG = {
  maxBytesPerBundle: 1_000,
  intervalMs: 10,
  maxInFlight: 4,
  maxItems: 100,
  maxBytes: 10_000,
  maxItemBytes: 500,
  keptOutcomes: 100,
  copiesWindowMs: 60_000,
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const BAD = Uint8Array.of(REFUSED_ON_ARRIVAL, 1);

/** A disk, a sequencer and a clock, and processes that come and go. */
function world(diskChance = 0.5) {
  const time = new SimulatedTime();
  const disk = new SimulatedDisk(time, () => diskChance);
  const sequencer = new ModelSequencer(() => time.now());
  const answers = {
    chainId: 'test-chain',
    balance: 1_000_000n,
    rate: { base: 1n, perByte: 1n } as FeeRate,
    isAway: false,
    /** How often the balance was queried. */
    looks: 0,
  };
  const later = <T>(answer: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      time.after(1, () => (answers.isAway ? reject(new Error('connection refused')) : resolve(answer())));
    });
  const link: Sequencer = {
    chainId: () => later(() => answers.chainId),
    balance: () => {
      answers.looks += 1;
      return later(() => answers.balance);
    },
    feeRate: () => later(() => answers.rate),
    settled: (bundles) =>
      later(() =>
        sequencer.settled(
          bundles.map(({ nonce }) => nonce),
          (nonce, hash) => bundles.some((each) => each.nonce === nonce && each.candidates.some((c) => c.hash === hash)),
        ),
      ),
    broadcast: (transaction) => later(() => sequencer.broadcast(transaction)),
  };
  async function start(options: { feeAsset?: Denom; signer?: typeof bob; records?: Records } = {}) {
    const stop = new AbortController();
    const ended: unknown[] = [];
    const { log, lines } = memoryLogger();
    const starting = createComposer(CONFIG, {
      journal: createJournal(options.records ?? disk.open()),
      sequencer: link,
      payer: {
        ...payer,
        ...(options.feeAsset && { feeAsset: options.feeAsset }),
        ...(options.signer && { signer: options.signer }),
      },
      log,
      clock: time,
      random: () => 0.5,
      onFailure: (error) => ended.push(error),
    });
    starting.catch(() => undefined);
    await time.run(time.now() + 10);
    const composer = await starting;
    composer.submitter.run(stop.signal).then(
      () => ended.push('stopped'),
      (error: unknown) => ended.push(error),
    );
    const pass = (ms: number) => time.run(time.now() + ms);
    const submit = async (...data: (string | Uint8Array)[]) => {
      const all = data.map((each) => (typeof each === 'string' ? bytes(each) : each));
      const accepted = composer.intake.accept(CHAT, all);
      await pass(5);
      await accepted;
    };
    const kill = () => {
      stop.abort(new Error('killed'));
      disk.crash();
    };
    return { ...composer, ended, lines, pass, submit, kill, stop };
  }
  /** Sets the sequencer back to an older state, until the result is called. */
  const lose = () => {
    const settled = sequencer.settled.bind(sequencer);
    sequencer.settled = () => ({ accountNonce: 1, height: 2n, spenders: new Map() });
    return () => {
      sequencer.settled = settled;
    };
  };
  const inBlocks = (): string[] => sequencer.ordered.map(({ data }) => Buffer.from(data, 'hex').toString());
  return { time, disk, sequencer, start, answers, inBlocks, lose };
}

const troubles = (lines: readonly Readonly<Record<string, unknown>>[]) =>
  lines.filter(({ msg }) => String(msg).includes('submit')).map(({ reason }) => reason);

test('what is submitted together goes together, and is reported when it is in a block', async () => {
  const { start, sequencer, inBlocks, disk } = world();
  const { submit, pass, submitter, outcomes, backlog } = await start();
  await submit('a', 'b');
  expect(submitter.status().itemsUnsent).toBe(2);
  await pass(20);
  expect(submitter.status().itemsUnsent).toBe(0);
  expect([submitter.inFlight.map(({ nonce }) => nonce), submitter.status().itemsUnsent]).toEqual([[0], 0]);
  sequencer.makeBlock(1);
  await pass(100);
  expect(inBlocks()).toEqual(['a', 'b']);
  expect(outcomes.find(CHAT, makeItem('b').hash)).toMatchObject({ kind: 'sequenced', height: 2n });
  expect(submitter.status()).toMatchObject({ trouble: undefined, accountNonce: 1, inFlight: 0, itemsSequenced: 2 });
  expect([backlog.count, disk.count('chunk'), disk.count('bundle'), disk.count('outcome')]).toEqual([0, 0, 0, 1]);
});

test.each([
  ['for a moment', 500],
  ['for a while', 5_000],
])('a wrong nonce of the account, reported %s, stops nothing for good', async (_, ms) => {
  const { start, sequencer, inBlocks } = world();
  sequencer.isLying = true;
  const { submit, pass, submitter } = await start();
  await submit('a');
  await pass(ms);
  sequencer.isLying = false;
  await pass(3_000);
  sequencer.makeBlock(1);
  await pass(1_000);
  expect([inBlocks(), submitter.inFlight.length, submitter.status().trouble]).toEqual([['a'], 0, undefined]);
});

test('a nonce that goes back below our own transactions is named as lost blocks, and nothing is taken meanwhile', async () => {
  const { start, sequencer, lose } = world();
  const { submit, pass, submitter, intake } = await start();
  for (const text of ['a', 'b', 'c']) {
    await submit(text);
    await pass(20);
    sequencer.makeBlock(1);
    await pass(200);
  }
  const returned = lose();
  await pass(3_000);
  const trouble = expect.stringMatching(/nonce 3 .* restored from an older backup/);
  expect(submitter.status().trouble).toEqual(trouble);
  await expect(intake.accept(CHAT, [bytes('d')])).rejects.toMatchObject({ name: 'Refusing', message: trouble });
  returned();
  await pass(3_000);
  expect(submitter.status().trouble).toBeUndefined();
  await submit('d');
});

test('a nonce that is left free below others is filled, with a payment to itself if there is nothing else', async () => {
  const { start, sequencer, inBlocks } = world();
  sequencer.isStrict = false;
  const { submit, pass, submitter, outcomes } = await start();
  await submit(BAD);
  await pass(20);
  await submit('good');
  await pass(20);
  expect(submitter.inFlight.map(({ nonce }) => nonce)).toEqual([0, 1]);
  // The sequencer comes back with other rules, and without its mempool.
  sequencer.restart();
  sequencer.isStrict = true;
  await pass(4_000);
  sequencer.makeBlock(9);
  await pass(4_000);
  sequencer.makeBlock(9);
  await pass(1_000);
  expect(inBlocks()).toEqual(['good']);
  expect([submitter.inFlight.length, submitter.status().accountNonce]).toEqual([0, 2]);
  expect(outcomes.find(CHAT, txHashOf(BAD))).toEqual({ kind: 'refused', reason: 'code 19: code 19' });
});

test('numbers of finished items do not come back while a bundle speaks of them', async () => {
  const { start, disk, time } = world();
  const journal = createJournal(disk.open());
  // The second of the bundle's two items, in a separate chunk, was refused.
  const hash = makeItem('signed before').hash;
  const candidates = [{ hash, ranges: [{ from: 1, to: 3 }] }];
  void journal.accept({ first: 1, items: [makeItem('a')] });
  void journal.putBundle({ nonce: 0, payer: payerId(payer), candidates });
  await time.run(20);
  const { backlog, submitter, submit } = await start();
  await submit('b');
  expect(backlog.find(CHAT, makeItem('b').hash)).toBe(3);
  expect(submitter.inFlight[0]?.attached).toEqual([{ from: 1, to: 2 }]);
});

test('bundles of another account or chain are not touched', async () => {
  const { start } = world();
  const first = await start();
  await first.submit('a');
  await first.pass(20);
  first.kill();
  await expect(start({ signer: bob })).rejects.toThrow(
    `the queue has transactions under way of account ${payer.signer.account} on test-chain, and is to be sent by account ${bob.account} on test-chain`,
  );
});

test('with another fee asset the same nonce is signed again, and either transaction is recognised', async () => {
  for (const isOldIncluded of [true, false]) {
    const { start, sequencer, inBlocks } = world();
    const first = await start();
    await first.submit('a');
    await first.pass(20);
    first.kill();
    if (!isOldIncluded) sequencer.restart();
    const second = await start({ feeAsset: parseDenom('ntia') });
    expect(second.submitter.inFlight.map(({ nonce, candidates }) => [nonce, candidates.length])).toEqual([[0, 2]]);
    await second.pass(100);
    sequencer.makeBlock(9);
    await second.pass(500);
    expect([inBlocks(), second.backlog.count]).toEqual([['a'], 0]);
  }
});

test('an account without funds is logged once, and its end', async () => {
  const { start, answers } = world();
  answers.balance = 1n;
  const { pass, submitter, lines } = await start();
  await pass(10_000);
  const trouble = `account ${payer.address} has 1 nria and the next bundle costs 2: send it more`;
  expect(submitter.status().trouble).toBe(trouble);
  expect(troubles(lines)).toEqual([trouble]);
  answers.balance = 100n;
  await pass(3_000);
  expect(submitter.status().trouble).toBeUndefined();
  expect(lines.at(-1)).toMatchObject({ msg: 'connected to sequencer' });
});

test('funds are looked at less often while nothing is under way and nothing is wrong', async () => {
  const { start, answers } = world();
  const { pass, submit, submitter } = await start();
  const looksIn = async (ms: number) => {
    const before = answers.looks;
    await pass(ms);
    return answers.looks - before;
  };
  await pass(1_000);
  expect(await looksIn(60_000)).toBe(6);
  await submit('a');
  expect(await looksIn(20_000)).toBeGreaterThanOrEqual(9);
  answers.balance = 0n;
  await pass(3_000);
  expect(submitter.status().trouble).toContain('has 0 nria');
  expect(await looksIn(20_000)).toBeGreaterThanOrEqual(9);
});

test('a fee asset that is not taken is a trouble; nothing is given up for it', async () => {
  const { start, answers, sequencer, inBlocks } = world();
  answers.rate = undefined;
  sequencer.isMoody = true;
  const { pass, submit, submitter } = await start();
  await submit('a');
  await pass(60_000);
  expect(submitter.status()).toMatchObject({
    trouble: 'the sequencer does not accept nria for fees (SVC_COMPOSER_FEE_ASSET)',
    itemsRefused: 0,
  });
  answers.rate = { base: 1n, perByte: 1n };
  sequencer.isMoody = false;
  await pass(3_000);
  sequencer.makeBlock(9);
  await pass(100);
  expect(inBlocks()).toEqual(['a']);
});

test('an unreachable sequencer is waited for and logged once', async () => {
  const { start, answers, sequencer, inBlocks } = world();
  answers.isAway = true;
  const { pass, submit, submitter, lines } = await start();
  await submit('a');
  await pass(20_000);
  expect(submitter.status().trouble).toBe('the sequencer cannot be reached: connection refused');
  expect(troubles(lines)).toHaveLength(1);
  answers.isAway = false;
  await pass(3_000);
  sequencer.makeBlock(9);
  await pass(100);
  expect([inBlocks(), submitter.status().trouble]).toEqual([['a'], undefined]);
});

test('a transaction that is in no block for long is a trouble', async () => {
  const { start } = world();
  const { pass, submit, submitter } = await start();
  await submit('a');
  await pass(40_000);
  expect(submitter.status().trouble).toBe('the transaction with nonce 0 is in no block yet');
});

test('a sequencer of another chain ends it', async () => {
  const { start, answers } = world();
  answers.chainId = 'other';
  const { pass, ended } = await start();
  await pass(10);
  expect(ended).toMatchObject([
    { message: 'the sequencer runs chain other, expected test-chain (SVC_COMPOSER_SEQUENCER_CHAIN_ID)' },
  ]);
});

test('a disk that fails ends it, before anything is sent', async () => {
  const { start, disk, sequencer } = world();
  const records = disk.open();
  const failing: Records = {
    ...records,
    write: (changes) =>
      changes.some(({ kind }) => kind === 'bundle') ? Promise.reject(new Error('no space')) : records.write(changes),
  };
  const { pass, submit, ended } = await start({ records: failing });
  await submit('a');
  await pass(100);
  expect(ended).toMatchObject([{ message: 'no space' }]);
  sequencer.makeBlock(9);
  expect(sequencer.ordered).toEqual([]);
});

test('a bundle is made while its items are written, and sent when both are on disk', async () => {
  const { start, disk, sequencer, time } = world();
  const { intake, submitter, pass } = await start();
  await pass(100);
  const accepted = intake.accept(CHAT, [bytes('a')]);
  await time.run(time.now());
  expect([submitter.inFlight.length, disk.count('chunk'), disk.count('bundle')]).toEqual([1, 0, 0]);
  sequencer.makeBlock(9);
  expect(sequencer.ordered).toEqual([]);
  await time.run(time.now() + 20);
  await accepted;
  sequencer.makeBlock(9);
  expect([sequencer.ordered.length, disk.count('chunk'), disk.count('bundle')]).toEqual([1, 1, 1]);
});

test('items that could not be written are in no transaction', async () => {
  const { start, disk, sequencer, time } = world();
  const records = disk.open();
  let isBroken = false;
  const failing: Records = {
    ...records,
    write(changes) {
      isBroken ||= changes.some(({ kind }) => kind === 'chunk');
      return isBroken ? Promise.reject(new Error('no space')) : records.write(changes);
    },
  };
  const { intake, ended } = await start({ records: failing });
  await time.run(time.now() + 100);
  await expect(intake.accept(CHAT, [bytes('a')])).rejects.toThrow('no space');
  await time.run(time.now() + 100);
  expect(ended).toContainEqual(expect.objectContaining({ message: 'no space' }));
  sequencer.makeBlock(9);
  expect(sequencer.ordered).toEqual([]);
});

test('a queue that is gone is reported when its account was used, and a first start is not', async () => {
  const { start, sequencer, time } = world();
  const aboutQueue = (lines: readonly Readonly<Record<string, unknown>>[]) =>
    lines.filter(({ msg }) => String(msg).startsWith('the queue is new'));
  const first = await start();
  await first.submit('a');
  await first.pass(20);
  sequencer.makeBlock(1);
  await first.pass(100);
  expect(aboutQueue(first.lines)).toEqual([]);
  first.kill();

  const kept = await start();
  await kept.pass(100);
  expect(aboutQueue(kept.lines)).toEqual([]);
  kept.kill();

  const lost = await start({ records: new SimulatedDisk(time, () => 0.5).open() });
  await lost.pass(3_000);
  expect(aboutQueue(lost.lines)).toMatchObject([{ level: 'warn', nonce: 1 }]);
  expect(lost.ended).toEqual([]);
  lost.kill();
});

test('stopping is no trouble', async () => {
  const { start, answers } = world();
  const { pass, submit, ended, lines, stop } = await start();
  await submit('a');
  answers.isAway = true;
  stop.abort(new Error('stopped'));
  await pass(1_000);
  expect([ended, troubles(lines)]).toEqual([['stopped'], []]);
});

test('a bundle waits for company; the first after a pause, and a full one, do not wait', async () => {
  const { start, time } = world();
  const { pass, intake, submitter } = await start();
  /** Submits small items, and returns how long after that their bundle was made. */
  const submitAndWait = async (count: number): Promise<number> => {
    const before = submitter.inFlight.length;
    const from = time.now();
    void intake.accept(
      CHAT,
      Array.from({ length: count }, (_, index) => bytes(`${index}`)),
    );
    await time.run(from + 1_000, () => submitter.inFlight.length > before);
    return time.now() - from;
  };
  await pass(100);
  expect(await submitAndWait(1)).toBeLessThan(5);
  const second = await submitAndWait(7);
  expect(second).toBeGreaterThan(5);
  expect(second).toBeLessThan(15);
  expect(await submitAndWait(20)).toBeLessThan(5);
});

const getEntries = (...data: readonly Uint8Array[]) =>
  data.map((each, index) => ({ rollup: index % 2 === 0 ? CHAT : GAME, data: each }));

test('a bad entry takes its whole group out of the bundle, and nothing else', async () => {
  const { start, sequencer, inBlocks } = world();
  const { intake, submit, pass, outcomes } = await start();
  const good = intake.acceptGroup(getEntries(bytes('c'), bytes('d')));
  const bad = intake.acceptGroup(getEntries(bytes('e'), BAD, bytes('f')));
  await submit('a', 'b');
  // Halving sends the nonce of the bundle with a part of it, and the rest under the next ones.
  for (let count = 0; count < 8; count += 1) {
    await pass(500);
    sequencer.makeBlock(9);
  }
  await pass(500);
  expect(inBlocks().sort()).toEqual(['a', 'b', 'c', 'd']);
  expect(outcomes.find(GROUPS, await bad)).toEqual({ kind: 'refused', reason: 'code 19: code 19' });
  expect(outcomes.find(CHAT, makeItem('f').hash)).toEqual({ kind: 'refused', reason: 'code 19: code 19' });
  const [hash] = sequencer.ordered.flatMap(({ data, hash: transaction }) => (data === '63' ? [transaction] : []));
  const height = sequencer.ordered.find(({ data }) => data === '64')?.height;
  expect(outcomes.find(GROUPS, await good)).toEqual({ kind: 'sequenced', height, transaction: hash });
});

test('a group of which the process is killed while it is written is there as a whole or not at all', async () => {
  const found = new Set<number>();
  for (let late = 0; late < 8; late += 1) {
    // The disk keeps nothing of a write that is under way, or all.
    const { start, time } = world(late % 2 === 0 ? 0.4 : 0.5);
    const first = await start();
    first.intake.acceptGroup(getEntries(bytes('a'), bytes('b'), bytes('c'))).catch(() => undefined);
    first.submit('d').catch(() => undefined);
    await time.run(time.now() + late / 2);
    first.kill();
    const { backlog } = await start();
    const texts = Array.from(backlog.items(backlog.unfinished([{ from: 1, to: 9 }])), toText);
    expect([[], ['a', 'b', 'c', 'd']]).toContainEqual(texts);
    found.add(texts.length);
  }
  expect([...found].sort()).toEqual([0, 4]);
});
