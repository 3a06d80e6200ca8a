import { RateLimit } from '@switchyard/service';
import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';
import { rfc3339 } from './time-text.ts';

test('a bucket empties, refills with time, and is not shared', () => {
  const rate = new RateLimit({ perSecond: 10, burst: 3, maxClients: 2 });
  expect([1, 2, 3, 4].map(() => rate.take('a', 1, 0))).toEqual([true, true, true, false]);
  expect([rate.take('b', 1, 0), rate.take('a', 1, 100), rate.take('a', 1, 100)]).toEqual([true, true, false]);
});

test('a request for more than a bucket passes when the bucket is full, and has to be paid back', () => {
  const rate = new RateLimit({ perSecond: 10, burst: 3, maxClients: 2 });
  expect([rate.take('a', 9, 0), rate.take('a', 1, 500), rate.take('a', 1, 700)]).toEqual([true, false, true]);
});

test('clients seen least lately are forgotten', () => {
  const rate = new RateLimit({ perSecond: 0.001, burst: 1, maxClients: 2 });
  for (const client of ['a', 'b', 'c']) rate.take(client, 1, 0);
  expect([rate.take('c', 1, 0), rate.take('a', 1, 0)]).toEqual([false, true]);
});

test.each([
  [0n, 0, '1970-01-01T00:00:00Z'],
  [1_700_000_000n, 500_000_000, '2023-11-14T22:13:20.5Z'],
  [1_700_000_000n, 1, '2023-11-14T22:13:20.000000001Z'],
  [1n << 62n, 0, '4611686018427387904 s after 1970-01-01T00:00:00Z'],
])('writes %s s %i ns as %s', (seconds, nanos, text) => {
  expect(rfc3339({ seconds, nanos })).toBe(text);
});

test('text that is cut stays text', () => {
  expect(cutText('abcdef', 3)).toBe('abc...');
  expect(cutText('ab😀', 3)).toBe('ab\ufffd...');
  expect(cutText('\ud800', 10)).toBe('\ufffd');
});
