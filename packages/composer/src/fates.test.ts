import { expect, test } from 'vitest';
import { Fates } from './fates.ts';
import { CHAT, GAME, itemOf } from './testing/builders.ts';

const refused = { kind: 'refused', reason: 'bad' } as const;
const sequenced = { kind: 'sequenced', height: 3n, transaction: itemOf('tx').hash } as const;
const { hash } = itemOf('x');

test('the newest are kept, and those that go are named', () => {
  const fates = new Fates(3);
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
  const fates = new Fates(1);
  expect(fates.add(fates.create(sequenced, [itemOf('a'), itemOf('b')]))).toEqual([]);
  expect(fates.find(CHAT, itemOf('b').hash)).toEqual(sequenced);
});

test('rollups do not hear of the same bytes of others', () => {
  const fates = new Fates(10);
  fates.add(fates.create(refused, [itemOf('x', GAME), itemOf('y')]));
  expect([fates.find(GAME, hash), fates.find(CHAT, hash)]).toEqual([refused, undefined]);
});

test('of bytes that were finished twice, the later fate counts, also when the earlier is forgotten', () => {
  const fates = new Fates(2);
  for (const outcome of [refused, sequenced]) fates.add(fates.create(outcome, [itemOf('x')]));
  fates.add(fates.create(refused, [itemOf('y')]));
  expect(fates.find(CHAT, hash)).toEqual(sequenced);
});

test('ids go on after those on disk', () => {
  const fates = new Fates(10);
  fates.add([{ id: 41, rollup: CHAT, outcome: refused, hashes: [hash] }]);
  expect(fates.create(refused, [itemOf('z')]).map(({ id }) => id)).toEqual([42]);
});
