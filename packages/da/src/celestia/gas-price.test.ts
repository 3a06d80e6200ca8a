import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feeFor, formatGasPrice, gasPriceFromNumber, parseGasPrice, priceFor } from './gas-price.ts';

test.each([
  ['0.004000000000000000utia', 4_000_000_000_000_000n],
  ['0.004', 4_000_000_000_000_000n],
  ['1', 10n ** 18n],
  ['0', 0n],
])('reads %s', (text, price) => {
  expect(parseGasPrice(text)).toBe(price);
});

test.each(['', '.', '1.', '-1', '1e3', '0.0040000000000000001', '1utia1', 'utia', '1 utia', '9'.repeat(13)])(
  'reads nothing from %j',
  (text) => {
    expect(parseGasPrice(text)).toBeUndefined();
  },
);

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e12])('an estimate of %d is no price', (value) => {
  expect(gasPriceFromNumber(value)).toBeUndefined();
});

test('an estimate in floating point is the price that is meant', () => {
  // The part beyond the precision of the number costs less than a billionth of the fee.
  const price = gasPriceFromNumber(0.004) ?? 0n;
  expect(feeFor(100_000n, price) - 400n).toBeLessThanOrEqual(1n);
});

test('a price is written as the shortest decimal that reads as the same', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (price) => {
      const text = formatGasPrice(price);
      expect(parseGasPrice(text)).toBe(price);
      expect(text).not.toMatch(/\.\d*0$/);
    }),
  );
});

test('the price for a fee is the least that makes it', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 9n }), (fee, gas) => {
      const price = priceFor(fee, gas);
      expect(feeFor(gas, price)).toBeGreaterThanOrEqual(fee);
      expect(gas * (price - 1n)).toBeLessThan(fee * 10n ** 18n);
    }),
  );
});
