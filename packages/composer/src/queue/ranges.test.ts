import fc from 'fast-check';
import { expect, test } from 'vitest';
import { common, computeCount, getFirst, joined, type Range, without } from './ranges.ts';

const anyRanges = fc.array(
  fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 8 })).map(([from, length]) => ({ from, to: from + length })),
  { maxLength: 8 },
);
const numbers = (ranges: readonly Range[]): Set<number> =>
  new Set(ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)));
const sorted = (set: Iterable<number>): number[] => [...set].sort((a, b) => a - b);

/** In order, none empty, none touching the next. */
function expectTidy(ranges: readonly Range[]): void {
  for (const [index, { from, to }] of ranges.entries()) {
    expect(from).toBeLessThan(to);
    expect(from).toBeGreaterThan(ranges[index - 1]?.to ?? -1);
  }
}

test('ranges are sets of numbers', () => {
  fc.assert(
    fc.property(anyRanges, anyRanges, (a, b) => {
      const [left, right] = [numbers(a), numbers(b)];
      expect(sorted(numbers(joined(a)))).toEqual(sorted(left));
      expect(sorted(numbers(without(a, b)))).toEqual(sorted(left).filter((each) => !right.has(each)));
      expect(sorted(numbers(common(a, b)))).toEqual(sorted(left).filter((each) => right.has(each)));
      expect(computeCount(joined(a))).toBe(left.size);
      for (const result of [joined(a), without(a, b), common(a, b)]) expectTidy(result);
    }),
  );
});

test('the first items are as many as asked for, or all', () => {
  fc.assert(
    fc.property(anyRanges.map(joined), fc.nat(40), (ranges, count) => {
      const all = sorted(numbers(ranges));
      expect(sorted(numbers(getFirst(ranges, count)))).toEqual(all.slice(0, count));
    }),
  );
});
