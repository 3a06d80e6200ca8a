import { expect, test } from 'vitest';
import {
  cutNumber,
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  formatUnits,
  numeralsIn,
  significant,
  words,
} from './format.ts';

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

test.each([
  ['1234567', '1234567', ''],
  ['1.5', '1.5', ''],
  ['0.0218751234', '0.0218751', '234'],
  ['99.998765544', '99.9987', '65544'],
  ['1,234,567.25', '1,234,567', '.25'],
  ['12.3000004', '12.3', '000004'],
  ['0.000000000000000001', '0.000000000000000001', ''],
])('%s shows %s, and has %s for those who copy it', (number, seen, rest) => {
  expect(cutNumber(number)).toEqual([seen, rest]);
});

test.each<[string, ...unknown[]]>([
  ['12.3000004 ETH', { exact: '12.3000004 ETH', seen: '12.3', rest: '000004', unit: ' ETH' }],
  [
    '0.1 RIA, 7',
    { exact: '0.1 RIA', seen: '0.1', rest: '', unit: ' RIA' },
    ', ',
    { exact: '7', seen: '7', rest: '', unit: '' },
  ],
  ['version 0.38.2612345', 'version 0.38.2612345'],
  ['9'.repeat(501), '9'.repeat(501)],
  ['0x3d4859 / 2026-11-30T10:11:12.1234567Z', '0x3d4859 / 2026-11-30T10:11:12.1234567Z'],
])('numbers of %s', (text, ...parts) => {
  expect(numeralsIn(text)).toEqual(parts);
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
