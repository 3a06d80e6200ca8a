import { expect, test } from 'vitest';
import { Overlay } from './overlay.ts';
import { MAX_KEY_LENGTH, type RangeOptions } from './state.ts';

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

// Defect: Jumps over hidden rows outlived a change of the parent
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

// Defect: The first row of a table cost two searches for each level of changes whose deletes hid rows before it
test.each([false, true])(
  'the first row costs one search of each level, however many were deleted before it (reverse: %s)',
  (reverse) => {
    const count = 3_000;
    const name = (index: number) => `a/${String(reverse ? count - index : index).padStart(5, '0')}`;
    const base = new Overlay(nothing);
    for (let index = 0; index < count; index += 1) base.put(name(index), value(1));
    let searches = 0;
    const counted = {
      get: (key: string) => base.get(key),
      range: (options: RangeOptions) => {
        searches += 1;
        return base.range(options);
      },
    };
    const levels = [new Overlay(counted)];
    for (let level = 1; level < 4; level += 1) levels.push((levels.at(-1) as Overlay).child());
    const getSearches = (wanted: { readonly after?: string; readonly before?: string }) => {
      searches = 0;
      const found = levels[3]?.range({ prefix: 'a/', limit: 1, reverse, ...wanted });
      return [found?.[0]?.[0], searches];
    };
    let gone = 0;
    for (const each of levels) {
      for (const end = gone + 700; gone < end; gone += 1) each.delete(name(gone));
      getSearches({});
      expect(getSearches({})).toEqual([name(gone), 1]);
    }
    const place = reverse ? { before: name(300) } : { after: name(300) };
    getSearches(place);
    expect(getSearches(place)).toEqual([name(gone), 1]);
    expect(getSearches(reverse ? { after: name(1_000) } : { before: name(1_000) })).toEqual([
      undefined,
      expect.any(Number),
    ]);
    base.put(name(5), value(2));
    levels[0]?.put(name(5), value(3));
    for (const each of levels.slice(1)) each.put('b', value(1));
    expect(getSearches({})[0]).toBe(name(5));
  },
);
