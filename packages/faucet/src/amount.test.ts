import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAmount, parseAmount } from './amount.ts';

test.each([
  ['1', 18, 10n ** 18n],
  ['0.5', 18, 5n * 10n ** 17n],
  [' 2.50 ', 2, 250n],
  ['7', 0, 7n],
  ['0.000000000000000001', 18, 1n],
])('%s coins of %d digits', (text, precision, units) => {
  expect(parseAmount(text, precision)).toBe(units);
});

test.each(['', '0', '0.00', '-1', '1.', '.5', '1e3', '1,5', '0x1', '1.005', '9'.repeat(31)])('refuses %j', (text) => {
  expect(parseAmount(text, 2)).toBeUndefined();
});

test('writing and reading an amount are each other’s reverse', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n - 1n }), fc.nat(18), (units, precision) => {
      expect(parseAmount(formatAmount(units, precision), precision)).toBe(units);
    }),
  );
});

test.each([
  [0n, 18, '0'],
  [15n, 1, '1.5'],
  [1_000n, 3, '1'],
  [1n, 9, '0.000000001'],
])('%d units of %d digits are %s', (units, precision, text) => {
  expect(formatAmount(units, precision)).toBe(text);
});
