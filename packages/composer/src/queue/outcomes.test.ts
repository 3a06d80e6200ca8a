import { type TxHash, txHashBytes } from '@switchyard/protocol';
import { type ManualClock, manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { CHAT, GAME, groupOfTexts, makeItem } from '../testing/builders.ts';
import { GROUPS } from './items.ts';
import { Outcomes } from './outcomes.ts';
import { decodeOutcome, encodeOutcome, type OutcomeRecord } from './records.ts';

const getOutcomes = (maxItems: number) =>
  ((time) => new Outcomes({ maxItems, clock: time, wall: time }))(manualClock());
const refused = { kind: 'refused', reason: 'bad' } as const;
const sequenced = { kind: 'sequenced', height: 3n, transaction: makeItem('tx').hash } as const;
const { hash } = makeItem('x');

test('the newest are kept, and those that go are named', () => {
  const outcomes = getOutcomes(3);
  const [one = [], two = [], three = []] = [['a', 'b'], ['c'], ['d']].map((texts) =>
    outcomes.create(
      sequenced,
      texts.map((text) => makeItem(text)),
    ),
  );
  expect(outcomes.add([...one, ...two])).toEqual([]);
  expect(outcomes.add(three)).toEqual([1]);
  expect(['a', 'b', 'c', 'd'].map((text) => outcomes.find(CHAT, makeItem(text).hash)?.kind)).toEqual([
    undefined,
    undefined,
    'sequenced',
    'sequenced',
  ]);
});

test('a single record stays, however many items it has', () => {
  const outcomes = getOutcomes(1);
  expect(outcomes.add(outcomes.create(sequenced, [makeItem('a'), makeItem('b')]))).toEqual([]);
  expect(outcomes.find(CHAT, makeItem('b').hash)).toEqual(sequenced);
});

// Defect: Bytes included again after the wall clock was set forward and the composer restarted
test('the age of a record continues across a restart, and no clock that is set changes it', async () => {
  const open = (time: ManualClock) => new Outcomes({ maxItems: 10, clock: time, wall: time });
  const ageBetween = (outcomes: Outcomes, least: number, most: number) =>
    outcomes.sequencedHeight(CHAT, hash, most) === 3n && outcomes.sequencedHeight(CHAT, hash, least - 1) === undefined;
  const reread = (records: readonly OutcomeRecord[]) =>
    records.map((record) => decodeOutcome(record.id, encodeOutcome(record)));
  const first = manualClock();
  first.setWall(1_000_000);
  const before = open(first);
  const stored = before.create(sequenced, [makeItem('x')]);
  before.add(stored);
  await first.advance(30_000);
  first.setWall(-3_600_000);
  expect(ageBetween(before, 30_000, 30_000)).toBe(true);
  first.setWall(9_000_000);
  const later = before.create(sequenced, [makeItem('y')]);

  // The wall clock is hours ahead in the second run, and behind in the third; time between runs does not count.
  const second = manualClock(5);
  second.setWall(50_000_000);
  const after = open(second);
  after.restore(reread([...stored, ...later]));
  await second.advance(10_000);
  expect(ageBetween(after, 40_000, 40_000)).toBe(true);
  const last = after.create(sequenced, [makeItem('z')]);
  const third = manualClock(7);
  third.setWall(0);
  const again = open(third);
  again.restore(reread([...stored, ...later, ...last]));
  expect(ageBetween(again, 40_000, 40_000)).toBe(true);
});

test('rollups do not hear of the same bytes of others', () => {
  const outcomes = getOutcomes(10);
  outcomes.add(outcomes.create(refused, [makeItem('x', GAME), makeItem('y')]));
  expect([outcomes.find(GAME, hash), outcomes.find(CHAT, hash)]).toEqual([refused, undefined]);
});

test('of bytes that were finished twice, the later record counts, also when the earlier is forgotten', () => {
  const outcomes = getOutcomes(2);
  for (const outcome of [refused, sequenced]) outcomes.add(outcomes.create(outcome, [makeItem('x')]));
  outcomes.add(outcomes.create(refused, [makeItem('y')]));
  expect(outcomes.find(CHAT, hash)).toEqual(sequenced);
});

test('ids continue after those on disk', () => {
  const outcomes = getOutcomes(10);
  outcomes.add([{ id: 41, space: CHAT, outcome: refused, hashes: txHashBytes(hash), at: 0 }]);
  expect(outcomes.create(refused, [makeItem('z')]).map(({ id }) => id)).toEqual([42]);
});

test('hashes with the same prefix are distinguished', () => {
  const outcomes = getOutcomes(10);
  const alike = ['aa', 'bb', 'cc'].map((end) => `0011223344${end.padStart(54, '0')}` as TxHash); // well-formed
  for (const [index, each] of alike.entries()) {
    outcomes.add([
      {
        ...{ id: index + 1, space: CHAT, at: 0 },
        ...{ outcome: { kind: 'refused', reason: `${index}` }, hashes: txHashBytes(each) },
      },
    ]);
  }
  expect(alike.map((each) => outcomes.find(CHAT, each))).toMatchObject([
    { reason: '0' },
    { reason: '1' },
    { reason: '2' },
  ]);
  expect(outcomes.find(CHAT, `0011223344${'d'.repeat(54)}` as TxHash)).toBeUndefined();
});

test('a group has an outcome by its hash, and each of its items the same one', () => {
  const outcomes = getOutcomes(10);
  const group = groupOfTexts('x', 'y');
  outcomes.add(outcomes.create(sequenced, group.items));
  expect([outcomes.find(GROUPS, group.hash), outcomes.find(CHAT, hash), outcomes.find(CHAT, group.hash)]).toEqual([
    sequenced,
    sequenced,
    undefined,
  ]);
});

test('bytes that are in a block stay known as such when a later group with them is refused', () => {
  const outcomes = getOutcomes(10);
  const group = groupOfTexts('x', 'y');
  outcomes.add(outcomes.create(sequenced, [makeItem('x')]));
  outcomes.add(outcomes.create(refused, group.items));
  expect([outcomes.find(CHAT, hash), outcomes.sequencedHeight(CHAT, hash, 1_000)]).toEqual([sequenced, 3n]);
  expect([outcomes.find(GROUPS, group.hash), outcomes.find(GAME, makeItem('y').hash)]).toEqual([refused, refused]);
});
