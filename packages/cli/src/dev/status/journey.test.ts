import { expect, test } from 'vitest';
import { type Journey, joinPath } from './journey.ts';
import { withRate } from './transactions.ts';

const journey = (over: Partial<Journey> = {}): Journey => ({ hash: 'aa', rollup: 'r', queuedAt: 1_000, ...over });
const sequenced = { at: 1_800, height: 40 };
const conductor = (upTo: number, ...blocks: { sequencerHeight: number; number: number; executedAt: number }[]) => [
  { rollup: 'r', upTo, blocks },
];
const block = { sequencerHeight: 40, number: 39, executedAt: 1_900 };

test('a transaction is executed in the rollup block of its sequencer block', () => {
  expect(joinPath([], [journey({ sequenced })], conductor(40, block))).toEqual([
    journey({ sequenced, executed: { at: 1_900, block: 39 } }),
  ]);
});

test('nothing is executed before it is sequenced, whoever noticed first', () => {
  const late = { at: 1_950, height: 40 };
  const path = joinPath([], [journey({ sequenced: late })], conductor(40, block));
  const expected = [journey({ sequenced: { at: 1_900, height: 40 }, executed: { at: 1_900, block: 39 } })];
  expect(path).toEqual(expected);
  expect(joinPath(path, [journey({ sequenced: late })], conductor(99))).toEqual(expected);
});

test('another rollup executes its own blocks', () => {
  expect(joinPath([], [journey({ sequenced, rollup: 'other' })], conductor(40, block))).toEqual([
    journey({ sequenced, rollup: 'other' }),
  ]);
});

test('a transaction below the executed height counts as executed, without a time', () => {
  expect(joinPath([], [journey({ sequenced })], conductor(99))).toEqual([journey({ sequenced, executed: {} })]);
  expect(joinPath([], [journey({ sequenced })], conductor(39))).toEqual([journey({ sequenced })]);
});

test('what was known stays known when composer and conductor have forgotten it', () => {
  const known = joinPath([], [journey({ sequenced })], conductor(40, block));
  expect(joinPath(known, [journey({ sequenced })], conductor(90))).toEqual(known);
  expect(joinPath(known, [], [])).toEqual(known);
});

test('the newest come first, the same bytes sent again are another way, and old ones go', () => {
  const path = joinPath([journey()], [journey({ queuedAt: 2_000 }), journey({ bundledAt: 1_001 })], []);
  expect(path).toEqual([journey({ queuedAt: 2_000 }), journey({ bundledAt: 1_001 })]);
  const many = Array.from({ length: 500 }, (_, index) => journey({ queuedAt: index }));
  expect(joinPath(many, [], []).map(({ queuedAt }) => queuedAt)).toEqual(
    Array.from({ length: 200 }, (_, index) => 499 - index),
  );
});

test('a rate is what was counted in the time between, also after a start from nothing', () => {
  expect(withRate([1], { total: 100, at: 1_000 }, { total: 150, at: 3_000 })).toEqual([1, 25]);
  expect(withRate([], { total: 100, at: 1_000 }, { total: 10, at: 2_000 })).toEqual([10]);
  expect(withRate([1], undefined, { total: 5, at: 1 })).toEqual([1]);
  expect(withRate([1], { total: 5, at: 2 }, { total: 6, at: 2 })).toEqual([1]);
  expect(
    withRate(
      Array.from({ length: 30 }, () => 0),
      { total: 0, at: 0 },
      { total: 1, at: 1_000 },
    ),
  ).toHaveLength(30);
});
