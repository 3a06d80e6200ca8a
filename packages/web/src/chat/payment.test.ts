import { expect, test } from 'vitest';
import { addressProblem, amountProblem, readPayment } from './payment.ts';

const ADDRESS = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';

test('an amount that is typed is right, or the exact reason why it is not is known', () => {
  for (const typed of ['', ' ', '1', '1.5', '2.000000000'])
    expect(amountProblem(typed, 2_000_000_000n, 'nria')).toBeUndefined();
  expect(amountProblem('2.000000001', 2_000_000_000n, 'nria')).toBe(
    '2.000000001 RIA is more than this account holds: 2 RIA',
  );
  expect(amountProblem('0.00000005', 2_000_000_000n, 'nria', 100n)).toBe('the smallest withdrawal is 0.0000001 RIA');
  expect(amountProblem('0.0000001', 2_000_000_000n, 'nria', 100n)).toBeUndefined();
  expect(amountProblem('0,25', 5n, 'nria')).toMatch(/^amount: expected 25 or 0\.25, written without commas/);
  expect(amountProblem('1.5', 5n, 'constructor')).toMatch(/^amount: expected a whole number/);
});

test('an address with a typing error is found by its checksum', () => {
  expect(addressProblem('')).toBeUndefined();
  expect(addressProblem(` ${ADDRESS} `)).toBeUndefined();
  for (const wrong of [ADDRESS.slice(0, -1), ADDRESS.replace('55', '56'), 'x'])
    expect(addressProblem(wrong)).toBe('the address is not complete, or has a typing error');
});

test('a payment has an address and an amount that can be used', () => {
  expect(readPayment(` ${ADDRESS}`, '1', 2_000_000_000n, 'nria')).toEqual({ to: ADDRESS, amount: 1_000_000_000n });
  for (const [to, typed] of [
    ['', '1'],
    [ADDRESS, ''],
    [ADDRESS, '3'],
    ['x', '1'],
  ] as const)
    expect(readPayment(to, typed, 2_000_000_000n, 'nria')).toBeUndefined();
});
