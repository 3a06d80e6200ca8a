import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getMaximum, linePath, niceMaximum, stackedBars } from './scale.ts';

test.each([
  [0, 1],
  [Number.NaN, 1],
  [5e-324, 1],
  [0.3, 0.5],
  [1, 1],
  [2.1, 2.5],
  [7, 10],
  [1_000, 1_000],
  [1_001, 2_000],
])('an axis for %d ends at %d', (value, end) => {
  expect(niceMaximum(value)).toBeCloseTo(end, 9);
});

test('a stack is as high as its parts together, lines as the highest of them', () => {
  const series = [
    { name: 'a', values: [1, 4] },
    { name: 'b', values: [3, undefined] },
  ];
  expect([getMaximum(series, true), getMaximum(series, false)]).toEqual([5, 5]);
  expect(
    getMaximum(
      [
        { name: 'a', values: [6] },
        { name: 'b', values: [5] },
      ],
      true,
    ),
  ).toBe(20);
  expect(getMaximum([], true)).toBe(1);
});

test('a line has gaps where values are missing, and a dot where one stands alone', () => {
  const box = { width: 100, height: 10, maximum: 10 };
  expect(linePath([0, 10, undefined, 5, undefined, 2], box)).toBe('M0 10L20 0M60 5h0M100 8h0');
  expect(linePath([], box)).toBe('');
});

test('bars stay in their box and lie on each other', () => {
  const value = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined });
  const list = fc
    .integer({ min: 1, max: 20 })
    .chain((length) =>
      fc.array(fc.array(value, { minLength: length, maxLength: length }), { minLength: 1, maxLength: 4 }),
    );
  fc.assert(
    fc.property(list, (lists) => {
      const series = lists.map((values, index) => ({ name: String(index), values }));
      const box = { width: 600, height: 150, maximum: getMaximum(series, true) };
      for (const bar of stackedBars(series, box)) {
        expect(bar.x).toBeGreaterThanOrEqual(0);
        expect(bar.x + bar.width).toBeLessThanOrEqual(600.02);
        expect(bar.y).toBeGreaterThanOrEqual(-0.1);
        expect(bar.y + bar.height).toBeLessThanOrEqual(150.1);
      }
    }),
  );
});
