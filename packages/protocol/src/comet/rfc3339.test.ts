import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRfc3339, oneMillisecondAfter, parseRfc3339, ZERO_TIME } from './rfc3339.ts';

test.each([
  ['2023-09-22T17:22:35.092832Z', 1_695_403_355n, 92_832_000, '2023-09-22T17:22:35.092832Z'],
  ['1970-01-01T00:00:00Z', 0n, 0, '1970-01-01T00:00:00Z'],
  ['2024-02-29T23:59:59.999999999Z', 1_709_251_199n, 999_999_999, '2024-02-29T23:59:59.999999999Z'],
  ['2025-01-01T02:00:00+02:00', 1_735_689_600n, 0, '2025-01-01T00:00:00Z'],
  ['2024-12-31T18:30:00.5-05:30', 1_735_689_600n, 500_000_000, '2025-01-01T00:00:00.5Z'],
  ['0001-01-01T00:00:00Z', ZERO_TIME.seconds, 0, '0001-01-01T00:00:00Z'],
])('%s is read and printed as CometBFT prints it', (text, seconds, nanos, printed) => {
  const time = parseRfc3339(text);
  expect(time).toEqual({ seconds, nanos });
  expect(time === undefined ? '' : formatRfc3339(time)).toBe(printed);
});

test.each([
  '',
  '2025-01-01',
  '2025-02-30T00:00:00Z',
  '2025-13-01T00:00:00Z',
  '2025-01-01T24:00:00Z',
  '2025-01-01T00:60:00Z',
  '2025-01-01T00:00:00',
  '2025-01-01T00:00:00+24:00',
  '2025-01-01T00:00:00.1234567890Z',
])('%j is no time', (text) => {
  expect(parseRfc3339(text)).toBeUndefined();
});

test('what is printed is read back', () => {
  const time = fc.record({
    seconds: fc.bigInt({ min: ZERO_TIME.seconds, max: 253_402_300_799n }),
    nanos: fc.integer({ min: 0, max: 999_999_999 }),
  });
  fc.assert(fc.property(time, (each) => void expect(parseRfc3339(formatRfc3339(each))).toEqual(each)));
});

test('a millisecond later may be the next second', () => {
  expect(oneMillisecondAfter({ seconds: 5n, nanos: 998_999_999 })).toEqual({ seconds: 5n, nanos: 999_999_999 });
  expect(oneMillisecondAfter({ seconds: 5n, nanos: 999_000_000 })).toEqual({ seconds: 6n, nanos: 0 });
});
