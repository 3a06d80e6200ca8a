import { expect, test } from 'vitest';
import { Overlay } from './overlay.ts';
import { MAX_KEY_LENGTH } from './state.ts';

const nothing = { get: () => undefined, range: () => [] };
const value = (...bytes: number[]) => Uint8Array.from(bytes);

test('counts changed keys, deletes included', () => {
  const overlay = new Overlay(nothing);
  overlay.put('a', value(1));
  overlay.put('a', value(2));
  overlay.delete('b');
  expect(overlay.size).toBe(2);
});

test('hands a delete on to its parent', () => {
  const parent = new Overlay(nothing);
  parent.put('a', value(1));
  const child = parent.child();
  child.delete('a');
  child.apply();
  expect(parent.get('a')).toBeUndefined();
  expect(child.size).toBe(0);
});

test('has nothing to apply to at the bottom', () => {
  expect(() => new Overlay(nothing).apply()).toThrow('no parent overlay');
});

test('writes nothing into a parent that is sealed', () => {
  const parent = new Overlay(nothing);
  const child = parent.child();
  child.put('a', value(1));
  parent.take();
  expect(() => child.apply()).toThrow('sealed');
  expect(() => parent.delete('a')).toThrow('sealed');
  expect(() => parent.take()).toThrow('sealed');
});

test.each([
  ['no character', ''],
  ['too many', 'k'.repeat(MAX_KEY_LENGTH + 1)],
])('refuses a key of %s', (_, key) => {
  expect(() => new Overlay(nothing).put(key, value(1))).toThrow(`state key of ${key.length} characters`);
  expect(() => new Overlay(nothing).delete(key)).toThrow('state key of');
});

test('a range shows what its parent has gained between rows that were passed over', () => {
  const parent = new Overlay(nothing);
  for (const key of ['a1', 'a2', 'a3']) parent.put(key, value(1));
  const child = parent.child();
  for (const key of ['a1', 'a2']) child.delete(key);
  const first = () => child.range({ prefix: 'a', limit: 1 }).map(([key]) => key);
  expect([first(), first()]).toEqual([['a3'], ['a3']]);
  parent.put('a15', value(1));
  expect(first()).toEqual(['a15']);
});
