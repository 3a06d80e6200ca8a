import { expect, test } from 'vitest';
import { findLagging } from './lagging.ts';

const BOUNDS = { maxUnsentBytes: 48, maxUnsentBytesTotal: 128 };
const unread = (...bytes: readonly number[]) => bytes.map((unsentBytes) => ({ unsentBytes }));

test.each([
  ['nothing waits for the one that is notified', [0, 100, 100], undefined],
  ['little waits for anyone', [1, 0, 48], undefined],
  ['it lags too far itself', [49, 0, 0], 0],
  ['all together lag too far: the one that lags most', [1, 40, 41, 40, 40], 2],
  ['those who keep up are never meant', [1, 1, 1, 48, 48, 48], 3],
])('%s', (_, bytes, index) => {
  const all = unread(...bytes);
  const [next = { unsentBytes: 0 }] = all;
  expect(findLagging(next, all, BOUNDS)).toBe(index === undefined ? undefined : all[index]);
});
