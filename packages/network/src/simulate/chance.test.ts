import { expect, test } from 'vitest';
import { Chance } from './chance.ts';

const numbers = (seed: number, purpose?: string) => {
  const chance = new Chance(seed, purpose);
  return Array.from({ length: 4 }, () => chance.integer(0, 999));
};

test('a seed and a purpose give the same numbers for ever, and others give others', () => {
  expect(numbers(1)).toEqual([566, 274, 528, 953]);
  expect(numbers(1)).toEqual(numbers(1));
  expect(numbers(2)).not.toEqual(numbers(1));
  expect(numbers(1, 'ways')).not.toEqual(numbers(1));
});

test('numbers fill their range evenly', () => {
  const chance = new Chance(7);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 100_000; draw += 1) {
    const number = chance.integer(0, 9);
    counts[number] = (counts[number] ?? 0) + 1;
  }
  // Six times the standard deviation.
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(570);
  const picks = new Set(Array.from({ length: 100 }, () => chance.pick(['a', 'b', 'c'])));
  expect([...picks].sort()).toEqual(['a', 'b', 'c']);
  expect(() => chance.pick([])).toThrow(RangeError);
});
