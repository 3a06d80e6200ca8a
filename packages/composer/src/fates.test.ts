import { type TxHash, txHashBytes } from '@switchyard/protocol';
import { type ManualClock, manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { Fates } from './fates.ts';
import { decodeFate, encodeFate } from './records.ts';
import { CHAT, GAME, itemOf } from './testing/builders.ts';

const fatesOf = (maxItems: number) => ((time) => new Fates({ maxItems, clock: time, wall: time }))(manualClock());
const refused = { kind: 'refused', reason: 'bad' } as const;
const sequenced = { kind: 'sequenced', height: 3n, transaction: itemOf('tx').hash } as const;
const { hash } = itemOf('x');

test('the newest are kept, and those that go are named', () => {
  const fates = fatesOf(3);
  const [one = [], two = [], three = []] = [['a', 'b'], ['c'], ['d']].map((texts) =>
    fates.create(
      sequenced,
      texts.map((text) => itemOf(text)),
    ),
  );
  expect(fates.add([...one, ...two])).toEqual([]);
  expect(fates.add(three)).toEqual([1]);
  expect(['a', 'b', 'c', 'd'].map((text) => fates.find(CHAT, itemOf(text).hash)?.kind)).toEqual([
    undefined,
    undefined,
    'sequenced',
    'sequenced',
  ]);
});

test('a single fate stays, however many items it has', () => {
  const fates = fatesOf(1);
  expect(fates.add(fates.create(sequenced, [itemOf('a'), itemOf('b')]))).toEqual([]);
  expect(fates.find(CHAT, itemOf('b').hash)).toEqual(sequenced);
});

test('the age of a fate goes on over a restart, and a clock that is set does not change it within a run', async () => {
  const open = (time: ManualClock) => new Fates({ maxItems: 10, clock: time, wall: time });
  const first = manualClock();
  first.setWall(1_000_000);
  const before = open(first);
  const stored = before.create(sequenced, [itemOf('x')]);
  before.add(stored);
  await first.advance(30_000);
  first.setWall(-3_600_000);
  expect([before.sequencedHeight(CHAT, hash, 30_000), before.sequencedHeight(CHAT, hash, 29_999)]).toEqual([
    3n,
    undefined,
  ]);
  const second = manualClock(5);
  second.setWall(1_000_000 + 40_000 - 5);
  const after = open(second);
  after.add(stored.map((fate) => decodeFate(fate.id, encodeFate(fate))));
  expect([after.sequencedHeight(CHAT, hash, 40_000), after.sequencedHeight(CHAT, hash, 39_999)]).toEqual([
    3n,
    undefined,
  ]);
});

test('rollups do not hear of the same bytes of others', () => {
  const fates = fatesOf(10);
  fates.add(fates.create(refused, [itemOf('x', GAME), itemOf('y')]));
  expect([fates.find(GAME, hash), fates.find(CHAT, hash)]).toEqual([refused, undefined]);
});

test('of bytes that were finished twice, the later fate counts, also when the earlier is forgotten', () => {
  const fates = fatesOf(2);
  for (const outcome of [refused, sequenced]) fates.add(fates.create(outcome, [itemOf('x')]));
  fates.add(fates.create(refused, [itemOf('y')]));
  expect(fates.find(CHAT, hash)).toEqual(sequenced);
});

test('ids go on after those on disk', () => {
  const fates = fatesOf(10);
  fates.add([{ id: 41, rollup: CHAT, outcome: refused, hashes: txHashBytes(hash) }]);
  expect(fates.create(refused, [itemOf('z')]).map(({ id }) => id)).toEqual([42]);
});

test('hashes that begin alike are told apart', () => {
  const fates = fatesOf(10);
  const alike = ['aa', 'bb', 'cc'].map((end) => `0011223344${end.padStart(54, '0')}` as TxHash); // well-formed
  for (const [index, each] of alike.entries()) {
    fates.add([
      { id: index + 1, rollup: CHAT, outcome: { kind: 'refused', reason: `${index}` }, hashes: txHashBytes(each) },
    ]);
  }
  expect(alike.map((each) => fates.find(CHAT, each))).toMatchObject([
    { reason: '0' },
    { reason: '1' },
    { reason: '2' },
  ]);
  expect(fates.find(CHAT, `0011223344${'d'.repeat(54)}` as TxHash)).toBeUndefined();
});
