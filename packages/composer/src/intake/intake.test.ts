import { Rejected } from '@switchyard/protocol';
import { settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { groupProblem } from '../bundles/bundle.ts';
import { Backlog } from '../queue/backlog.ts';
import { type CopyRule, getItems, toIdentity } from '../queue/copies.ts';
import { GROUPS } from '../queue/items.ts';
import { createJournal, type Journal } from '../queue/journal.ts';
import { Outcomes } from '../queue/outcomes.ts';
import { CHAT, GAME, groupOfTexts, makeItem, payer, slowJournal, toText } from '../testing/builders.ts';
import { FeeBudget } from './fee-budget.ts';
import { Full, Intake } from './intake.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Fee of the sequencer for the data of a rollup. */
const RATE = { base: 32n, perByte: 1n };

function makeIntake({ maxItems = 1_000, maxBytes = 1_000, maxFees = 0 } = {}, broken?: Journal) {
  const { journal: working, time, disk } = slowJournal();
  const backlog = new Backlog();
  const outcomes = new Outcomes({ maxItems: 100, clock: time, wall: time });
  const journal = broken ?? working;
  let writes = 0;
  const failures: unknown[] = [];
  const intake = new Intake(
    {
      ...{ maxItemBytes: 50, maxItems, maxBytes, copiesWindowMs: 60_000 },
      groupProblem: (entries) => groupProblem(entries, payer, 1_000),
    },
    {
      backlog,
      outcomes,
      budget: maxFees === 0 ? undefined : new FeeBudget(maxFees, { rate: () => RATE, clock: time }),
      journal: { ...journal, accept: (chunk) => journal.accept(chunk).finally(() => (writes += 1)) },
      onWaiting: () => undefined,
      onFailure: (error) => failures.push(error),
    },
  );
  /** Tells whether an answer was had. */
  const accept = (texts: readonly string[], skipKnown = false, rollup = CHAT) => {
    const call = { answer: undefined as unknown };
    intake.accept(rollup, texts.map(bytes), skipKnown ? {} : undefined).then(
      () => {
        call.answer = 'accepted';
      },
      (error: unknown) => {
        call.answer = error;
      },
    );
    return call;
  };
  return { intake, backlog, outcomes, accept, time, disk, failures, writes: () => writes };
}

test('an answer comes when it is on disk, not before; a bundle may take it up meanwhile', async () => {
  const { accept, time, backlog, disk } = makeIntake();
  const call = accept(['a', 'b']);
  await settle();
  expect([call.answer, backlog.isWaiting, disk.count('chunk')]).toEqual([undefined, true, 0]);
  expect([[...backlog.ofRollup(CHAT)], backlog.isOnDisk(2)]).toEqual([[], false]);
  await time.run(10);
  expect([call.answer, backlog.isWaiting, disk.count('chunk')]).toEqual(['accepted', true, 1]);
  expect([[...backlog.ofRollup(CHAT)], backlog.isOnDisk(2)]).toEqual([[bytes('a'), bytes('b')], true]);
});

test('a thousand calls share a few writes', async () => {
  const { accept, time, backlog, writes, intake } = makeIntake({ maxItems: 2_000, maxBytes: 100_000 });
  const calls = Array.from({ length: 1_000 }, (_, index) => accept([`item ${index}`]));
  await settle();
  calls.push(...Array.from({ length: 100 }, (_, index) => accept([`more ${index}`])));
  await time.run(100);
  expect(calls.every(({ answer }) => answer === 'accepted')).toBe(true);
  expect([writes(), backlog.count, intake.accepted]).toEqual([2, 1_100, 1_100]);
});

test('bytes that are here are not taken twice if so asked, and answered only when they are on disk', async () => {
  const { accept, time, backlog } = makeIntake();
  const first = accept(['a', 'b']);
  await settle();
  const again = accept(['a', 'a', 'c'], true);
  const known = accept(['b'], true);
  await settle();
  expect([first.answer, again.answer, known.answer, backlog.count]).toEqual([undefined, undefined, undefined, 3]);
  await time.run(10);
  expect([first.answer, again.answer, known.answer]).toEqual(['accepted', 'accepted', 'accepted']);
  const onDisk = accept(['a', 'b', 'c'], true);
  await settle();
  expect([onDisk.answer, backlog.count]).toEqual(['accepted', 3]);
  accept(['a'], true, GAME);
  accept(['a', 'a']);
  await time.run(100);
  expect(backlog.count).toBe(6);
});

// Defect: Bytes that were in a block included and paid for again
test('bytes that are in a block are not taken again for a while, and the answer is at once', async () => {
  const { accept, intake, outcomes, time, backlog, writes } = makeIntake();
  accept(['a']);
  await time.run(10);
  const [range] = backlog.take(() => true);
  const items = [...backlog.items(range === undefined ? [] : [range])];
  outcomes.add(outcomes.create({ kind: 'sequenced', height: 7n, transaction: items[0]?.hash ?? ('' as never) }, items));
  backlog.finish(range === undefined ? [] : [range]);
  const again = accept(['a'], true);
  await settle();
  expect([again.answer, backlog.count, writes()]).toEqual(['accepted', 0, 1]);
  // The submitter has executed that block, and submits it nevertheless.
  void intake.accept(CHAT, [bytes('a')], { executedHeight: 6n });
  await time.run(time.now() + 10);
  expect(backlog.count).toBe(0);
  void intake.accept(CHAT, [bytes('a')], { executedHeight: 7n });
  await time.run(time.now() + 10);
  expect(backlog.count).toBe(1);
  backlog.finish(backlog.take(() => true));
  await time.run(time.now() + 61_000);
  accept(['a'], true);
  await time.run(time.now() + 10);
  expect(backlog.count).toBe(1);
});

test('what the sequencer has refused may be tried again', async () => {
  const { accept, outcomes, time, backlog } = makeIntake();
  outcomes.add(outcomes.create({ kind: 'refused', reason: 'code 19' }, [makeItem('a')]));
  accept(['a'], true);
  await time.run(10);
  expect(backlog.count).toBe(1);
});

test('an idempotency key marks an intended repeat, in the queue, after it and across a restart', async () => {
  const { intake, outcomes, time, backlog, disk } = makeIntake();
  const submit = async (text: string, key?: string) => {
    void intake.accept(CHAT, [bytes(text)], key === undefined ? {} : { key: bytes(key) });
    await time.run(time.now() + 10);
    return backlog.count;
  };
  expect([await submit('a', 'one'), await submit('a', 'one'), await submit('a', 'two')]).toEqual([1, 1, 2]);
  // Without a key the request only asks for inclusion of the bytes.
  expect(await submit('a')).toBe(2);
  const { chunks } = createJournal(disk.open()).recover();
  expect(chunks.flatMap(({ chunk }) => chunk.items.map(({ keyed }) => keyed))).toHaveLength(2);
  const restored = new Backlog();
  for (const { chunk, done } of chunks) restored.restore(chunk, done);
  const keyed = getItems(CHAT, [bytes('a')], bytes('one')).map(toIdentity);
  expect(keyed.map((identity) => restored.find(CHAT, identity))).toEqual([1]);

  const ranges = backlog.take(() => true);
  const items = [...backlog.items(ranges)];
  outcomes.add(outcomes.create({ kind: 'sequenced', height: 7n, transaction: makeItem('tx').hash }, items));
  backlog.finish(ranges);
  expect([await submit('a', 'one'), await submit('a'), await submit('a', 'three')]).toEqual([0, 0, 1]);
});

test('a full queue rejects a batch as a whole and reports how full it is', async () => {
  const { accept, time, backlog, intake } = makeIntake({ maxItems: 3 });
  accept(['a', 'b']);
  const tooMany = accept(['c', 'd']);
  await time.run(10);
  expect(tooMany.answer).toEqual(new Full('the queue holds 2 of 3 submissions; try again later'));
  expect([backlog.count, intake.obstacle]).toEqual([2, undefined]);
  const last = accept(['c']);
  await time.run(20);
  expect([last.answer, intake.obstacle, backlog.count]).toEqual(['accepted', 'the queue is full', 3]);
  const known = accept(['a', 'c'], true);
  await settle();
  expect(known.answer).toBe('accepted');
});

test('bytes count too, those on their way as well', async () => {
  const { accept } = makeIntake({ maxBytes: 10 });
  accept(['12345678']);
  const more = accept(['123']);
  await settle();
  expect(more.answer).toEqual(new Full('the queue holds 8 of 10 bytes; try again later'));
});

// Defect: Free actions of a rollup cost the composer up to its balance
test('what submissions may cost in an hour is a bound, whoever sends them', async () => {
  // A submission of 8 bytes costs 40.
  const { accept, intake, time, backlog } = makeIntake({ maxFees: 90 });
  const sent = ['12345678', '23456789', '12345678', '34567890'].map((text) => accept([text], true));
  await time.run(10);
  const refusal = 'submissions may cost 90 in an hour, and have; try again later';
  expect(sent.map(({ answer }) => answer)).toEqual(['accepted', 'accepted', 'accepted', new Full(refusal)]);
  expect([intake.obstacle, backlog.count]).toEqual([refusal, 2]);
  await time.run(time.now() + 1_300_000);
  expect(intake.obstacle).toBeUndefined();
  accept(['34567890'], true);
  accept(['45678901'], true);
  await time.run(time.now() + 10);
  expect(backlog.count).toBe(3);
});

test.each([
  ['nothing', '', 'empty', 'the data is empty, expected at least 1 byte'],
  ['more than a bundle holds', 'x'.repeat(51), 'too-large', 'the data has 51 bytes, expected at most 50'],
])('refuses %s, and all that comes with it', async (_, data, reason, problem) => {
  const { accept, backlog } = makeIntake();
  const call = accept(['fine', data]);
  await settle();
  expect(call.answer).toBeInstanceOf(Rejected);
  expect(call.answer).toMatchObject({ reason, facts: { problem } });
  expect(backlog.count).toBe(0);
});

test('an empty batch is accepted', async () => {
  const { accept, writes } = makeIntake();
  const call = accept([]);
  await settle();
  expect([call.answer, writes()]).toEqual(['accepted', 0]);
});

test('a disk that fails ends it: nothing more is accepted', async () => {
  const full = new Error('no space left');
  const records = { read: () => [], write: () => Promise.reject(full), close: async () => undefined };
  const { accept, failures } = makeIntake({}, createJournal(records));
  const [one, two] = [accept(['a']), accept(['b'])];
  await settle();
  const later = accept(['c']);
  await settle();
  expect([one.answer, two.answer, later.answer, failures]).toEqual([full, full, full, [full]]);
});

const getEntries = (...texts: readonly string[]) =>
  groupOfTexts(...texts).items.map(({ rollup, data }) => ({ rollup, data }));

test('a group is on disk in one record when it is accepted, and numbered in its order', async () => {
  const { intake, accept, time, backlog, disk } = makeIntake();
  accept(['a']);
  const accepted = intake.acceptGroup(getEntries('b', 'c'));
  accept(['d']);
  await time.run(10);
  const id = groupOfTexts('b', 'c').hash;
  expect([await accepted, disk.count('chunk'), backlog.find(GROUPS, id)]).toEqual([id, 1, 2]);
  expect(Array.from(backlog.items([{ from: 1, to: 5 }]), toText)).toEqual(['a', 'b', 'c', 'd']);
});

test('a copy of a group is not taken again; its entries alone, another order and another key are no copies', async () => {
  const { intake, accept, outcomes, time, backlog, writes } = makeIntake();
  const counts: number[] = [];
  const take = async (texts: readonly string[], copies: CopyRule | undefined = {}) => {
    const accepted = intake.acceptGroup(getEntries(...texts), copies);
    const copy = intake.acceptGroup(getEntries(...texts), copies);
    await time.run(time.now() + 10);
    expect(await copy).toBe(await accepted);
    counts.push(backlog.count);
  };
  await take(['a', 'b']);
  await take(['b', 'a']);
  await take(['a', 'b'], { key: bytes('key') });
  accept(['a'], true);
  await time.run(time.now() + 10);
  counts.push(backlog.count);
  await take(['a', 'b']);
  expect(counts).toEqual([2, 4, 6, 7, 7]);
  // In a block it is a copy as well.
  const ranges = backlog.take(() => true);
  outcomes.add(
    outcomes.create({ kind: 'sequenced', height: 5n, transaction: makeItem('tx').hash }, backlog.items(ranges)),
  );
  backlog.finish(ranges);
  const before = writes();
  await take(['a', 'b']);
  expect([backlog.count, writes()]).toEqual([0, before]);
});

// Defect: 40 atomic bundles with one valid transaction cost the composer 40 payments
test('bytes are paid for in one group only, whatever else is in it, until it is refused', async () => {
  const { intake, accept, outcomes, time, backlog } = makeIntake();
  const take = async (texts: readonly string[], copies: CopyRule = {}) => {
    const accepted = intake.acceptGroup(getEntries(...texts), copies).then(
      () => 'accepted',
      (error: unknown) => (error instanceof Rejected ? `${error.reason}, ${error.facts.problem}` : error),
    );
    await time.run(time.now() + 10);
    return accepted;
  };
  const refused = (at: string) => `duplicate, entry ${at} was submitted already: it is paid for once`;
  const companions = Array.from({ length: 40 }, (_, index) => [`companion ${index}`, 'paid']);
  const answers: unknown[] = [];
  for (const texts of companions) answers.push(await take(texts));
  expect(answers).toEqual(['accepted', ...Array.from({ length: 39 }, () => refused('2 of 2'))]);
  accept(['alone']);
  await time.run(time.now() + 10);
  expect([await take(['alone', 'b']), await take(['c', 'd', 'c'])]).toEqual([refused('1 of 2'), refused('3 of 3')]);
  expect(backlog.count).toBe(3);
  // A key marks the repeat as intended.
  expect(await take(['x', 'paid'], { key: bytes('key') })).toBe('accepted');
  const settled = (outcome: Parameters<Outcomes['create']>[0]) => {
    const ranges = backlog.take(() => true);
    outcomes.add(outcomes.create(outcome, backlog.items(ranges)));
    backlog.finish(ranges);
  };
  settled({ kind: 'refused', reason: 'code 19' });
  expect(await take(['e', 'paid'])).toBe('accepted');
  settled({ kind: 'sequenced', height: 7n, transaction: makeItem('tx').hash });
  expect(await take(['f', 'paid'])).toBe(refused('2 of 2'));
  await time.run(time.now() + 61_000);
  expect(await take(['f', 'paid'])).toBe('accepted');
});

test.each<[string, string[], string]>([
  ['empty', [], 'the bundle has no entries, expected at least 1'],
  ['empty', ['a', '', 'c'], 'entry 2 of 3: the data is empty, expected at least 1 byte'],
  ['too large', ['a', 'b', 'c'.repeat(51)], 'entry 3 of 3: the data has 51 bytes, expected at most 50'],
  ['too large', Array(257).fill('a'), 'the bundle has 257 entries, expected at most 256'],
])('a group that can never be accepted is refused as a whole: %s', async (reason, texts, problem) => {
  const { intake, backlog } = makeIntake();
  await expect(intake.acceptGroup(getEntries(...texts))).rejects.toThrow(new RegExp(`^${reason}: problem ${problem}$`));
  expect(backlog.count).toBe(0);
});

test('a group for which there is no room is refused as a whole, for good only where it has no room alone', async () => {
  const { intake, accept, backlog, time } = makeIntake({ maxItems: 3 });
  accept(['a', 'b']);
  await time.run(10);
  await expect(intake.acceptGroup(getEntries('c', 'd'))).rejects.toBeInstanceOf(Full);
  await expect(intake.acceptGroup(getEntries('c', 'd', 'e', 'f'))).rejects.toThrow('has 4 entries, expected at most 3');
  const long = Array.from({ length: 12 }, () => 'x'.repeat(50));
  await expect(makeIntake().intake.acceptGroup(getEntries(...long))).rejects.toThrow(
    'expected at most 1000: entry 9 of 12 has no room',
  );
  expect(backlog.count).toBe(2);
});
