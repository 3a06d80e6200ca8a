import { expect, test } from 'vitest';
import { formatAge, formatBytes, formatCount, formatDuration, formatUnits, significant, words } from './format.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [1_234_567, '1.23 MB'],
  [5e15, '5,000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0 ms', 'now'],
  [1_999, '2 s', '1 s ago'],
  [61_000, '61 s', '61 s ago'],
  [600_000, '10 min', '10 min ago'],
  [5 * 3_600_000, '5 h', '5 h ago'],
  [9 * 86_400_000, '9 d', '9 d ago'],
])('%d ms are %s, and were %s', (ms, duration, age) => {
  expect([formatDuration(ms), formatAge(ms)]).toEqual([duration, age]);
});

test('what a clock ahead of this one dates into the future is now', () => {
  expect(formatAge(-60_000)).toBe('now');
});

test.each([
  ['0', 18, '0'],
  ['1', 18, '0.000000000000000001'],
  ['1500000000000000000', 18, '1.5'],
  ['1234567', 0, '1,234,567'],
  ['115792089237316195423570985008687907853269984665640564039457584007913129639935', 2, undefined],
  ['not a number', 18, 'not a number'],
])('%s with %d decimals', (amount, decimals, text) => {
  const found = formatUnits(amount, decimals);
  if (text === undefined) expect(found.replace(/[,.]/g, '')).toBe(amount);
  else expect(found).toBe(text);
});

test('counts have separators, also beyond what a double holds', () => {
  expect([formatCount(1_234), formatCount('12345678901234567890'), formatCount('soft')]).toEqual([
    '1,234',
    '12,345,678,901,234,567,890',
    'soft',
  ]);
  expect([significant(0), significant(1.23456), significant(0.012345)]).toEqual(['0', '1.23', '0.0123']);
});

test('names of kinds are read as words', () => {
  expect([words('rollupDataSubmission'), words('transfer'), words('ics20Withdrawal')]).toEqual([
    'rollup data submission',
    'transfer',
    'ics20 withdrawal',
  ]);
});
