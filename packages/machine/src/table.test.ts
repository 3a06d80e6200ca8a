import { expect, test } from 'vitest';
import { pair, text, u32Key } from './keys.ts';
import { createMemoryStore } from './store/memory.ts';
import { table } from './table.ts';
import { u32 } from './values.ts';

const scores = table({ prefix: 'scores/', key: pair(text, u32Key), value: u32 });
const counts = table({ prefix: 'counts/', key: text, value: u32, absent: 0 });

async function getSnapshot(...rows: Array<readonly [string, number]>) {
  const store = createMemoryStore();
  const state = store.begin();
  for (const [name, round] of rows) scores.put(state, [name, round], round * 10);
  counts.put(state, 'neighbour', 1);
  await store.commit(store.seal(state, 1n));
  return store.snapshot();
}

test('answers what was put, until it is deleted', () => {
  const state = createMemoryStore().begin();
  expect([scores.get(state, ['a', 1]), scores.has(state, ['a', 1])]).toEqual([undefined, false]);
  scores.put(state, ['a', 1], 5);
  expect([scores.get(state, ['a', 1]), scores.has(state, ['a', 1])]).toEqual([5, true]);
  scores.delete(state, ['a', 1]);
  expect(scores.get(state, ['a', 1])).toBeUndefined();
});

test('answers its own word for absence', () => {
  const state = createMemoryStore().begin();
  expect([counts.get(state, 'a'), counts.has(state, 'a')]).toEqual([0, false]);
});

test('stores under its prefix', () => {
  const state = createMemoryStore().begin();
  scores.put(state, ['a', 1], 5);
  expect(state.get('scores/a/00000001')).toEqual(Uint8Array.of(0, 0, 0, 5));
  expect(scores.storeKey(['a', 1])).toBe('scores/a/00000001');
});

test('ranges over its own rows, within a first part and between keys', async () => {
  const snapshot = await getSnapshot(['a', 1], ['a', 2], ['a', 3], ['b', 1]);
  const keys = (options: object) =>
    [...scores.range(snapshot, { limit: 10, ...options })].map(([[name, round]]) => name + round);
  expect(keys({})).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect(keys({ within: 'a/' })).toEqual(['a1', 'a2', 'a3']);
  expect(keys({ after: ['a', 1], before: ['b', 1] })).toEqual(['a2', 'a3']);
  expect(keys({ reverse: true, limit: 2 })).toEqual(['b1', 'a3']);
  expect([...scores.range(snapshot, { limit: 1 })]).toEqual([[['a', 1], 10]]);
});

test('takes only prefixes that end with a slash', () => {
  expect(() => table({ prefix: 'scores', key: text, value: u32 })).toThrow('does not end with a slash');
});
