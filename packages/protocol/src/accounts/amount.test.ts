import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAmount, InvalidAmount, parseAmount } from './amount.ts';

test.each([
  ['1', 18, 10n ** 18n],
  ['0.5', 18, 5n * 10n ** 17n],
  [' 2.50 ', 2, 250n],
  ['7', 0, 7n],
  ['0.000000000000000001', 18, 1n],
  ['1,000.5', 9, 1_000_500_000_000n],
  ['1,000,000', 9, 10n ** 15n],
  ['12,345,678', 0, 12_345_678n],
  [String(2n ** 128n - 1n), 0, 2n ** 128n - 1n],
])('%s coins of %d digits', (text, decimals, units) => {
  expect(parseAmount(text, decimals)).toBe(units);
});

test.each([
  ['0,25', '25 or 0.25'],
  ['1,5', '15 or 1.5'],
  ['1,000', '1000 or 1.000'],
  ['999,999', '999999 or 999.999'],
  ['1.000,5', '1000.5'],
  ['1.000.000,5', '1000000.5'],
  ['1,00,000', '100000'],
  ['0,000,001', '1'],
])('a comma that is not certain to separate thousands is refused with what it can mean: %s', (text, readings) => {
  expect(() => parseAmount(text, 9)).toThrow(`expected ${readings}, written without commas, got "${text}"`);
});

test.each([
  '',
  '0',
  '0.00',
  '-1',
  '1.',
  '.5',
  '1e3',
  '0x1',
  '1.005',
  '1.000.000',
  '1,',
  '٣',
  '9'.repeat(39),
  `1,${'0'.repeat(2_000)}`,
])('refuses %j', (text) => {
  expect(() => parseAmount(text, 2)).toThrow(InvalidAmount);
});

test('names what was expected', () => {
  expect(() => parseAmount('0', 0)).toThrow('expected a whole number above 0 and below 2^128, got "0"');
  expect(() => parseAmount('1.005', 2)).toThrow(
    'expected a number above 0 with at most 2 digits after the point, got "1.005"',
  );
  expect(parseAmount('0', 18, 0n)).toBe(0n);
});

test('writing and reading an amount are each other’s reverse', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: (1n << 128n) - 1n }), fc.nat(18), (units, decimals) => {
      expect(parseAmount(formatAmount(units, decimals), decimals)).toBe(units);
    }),
  );
});

// Defect: Decimal comma read as a separator of thousands: "0,25" sent 25 coins
test('an amount with a comma that can be a decimal sign is never taken', () => {
  const text = fc.stringMatching(/^\d{1,4}([,.]\d{1,4}){0,3}$/);
  fc.assert(
    fc.property(text, (typed) => {
      fc.pre(typed.includes(','));
      if (/^[\d.]+,\d+$/.test(typed)) expect(() => parseAmount(typed, 16)).toThrow('written without commas');
    }),
  );
});

test.each([
  [0n, 18, '0'],
  [15n, 1, '1.5'],
  [1_000n, 3, '1'],
  [1n, 9, '0.000000001'],
])('%d units of %d digits are %s', (units, decimals, text) => {
  expect(formatAmount(units, decimals)).toBe(text);
});
