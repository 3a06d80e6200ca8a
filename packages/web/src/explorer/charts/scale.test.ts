import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNewest, getAxis, getTicks, linePath, stackedBars } from './scale.ts';

test.each([
  [0, [0, 1]],
  [Number.NaN, [0, 1]],
  [5e-324, [0, 1]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [2.1, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [1_000, [0, 500, 1_000]],
  [1_001, [0, 500, 1_000, 1_500]],
])('an axis for %d has the marks %j', (value, marks) => {
  for (const [index, tick] of getTicks(value).entries()) expect(tick).toBeCloseTo(marks[index] ?? Number.NaN, 9);
});

test('an axis for whole numbers has no fractions', () => {
  expect([getTicks(1, true), getTicks(3, true)]).toEqual([
    [0, 1],
    [0, 1, 2, 3],
  ]);
});

test('a stack is as high as its parts together, lines as the highest of them', () => {
  const series = [
    { name: 'a', values: [1, 4] },
    { name: 'b', values: [3, undefined] },
  ];
  expect([getAxis(series, true).at(-1), getAxis(series, false).at(-1)]).toEqual([4, 4]);
  expect(getAxis([...series, { name: 'c', values: [5, 0] }], true).at(-1)).toBe(10);
  expect(getAxis([], true)).toEqual([0, 1]);
});

// Defect: A chart of many blocks had bars of one pixel
test('bars of many blocks touch, and a low one is seen', () => {
  const one = { name: 'a', values: Array.from({ length: 100 }, (_, index) => (index === 0 ? 5_000 : 64)) };
  const bars = stackedBars([one], { width: 600, height: 150, maximum: 5_000 });
  expect(bars.slice(1).every(({ width, height }) => width === 6 && height === 3)).toBe(true);
});

test('a chart is read at its newest value', () => {
  expect([findNewest([{ name: 'a', values: [1, 2, undefined] }]), findNewest([])]).toEqual([1, 0]);
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
      const box = { width: 600, height: 150, maximum: getAxis(series, true).at(-1) ?? 1 };
      for (const bar of stackedBars(series, box)) {
        expect(bar.x).toBeGreaterThanOrEqual(0);
        expect(bar.x + bar.width).toBeLessThanOrEqual(600.02);
        expect(bar.y).toBeGreaterThanOrEqual(-0.1);
        expect(bar.y + bar.height).toBeLessThanOrEqual(150.1);
      }
    }),
  );
});
