import { expect, test } from 'vitest';
import { verdictOf } from './verdict.ts';

test.each([
  ['taken', [0, 14, 18]],
  ['contested', [4, 15]],
  ['later', [6, 9, 11, 12, 16, 17]],
  ['wrong-chain', [7]],
  ['refused', [2, 5, 19, 20, 21]],
  ['unconfirmed', [1, 3, 8, 10, 13, 22, 999]],
])('%s', (verdict, codes) => {
  expect(codes.map(verdictOf)).toEqual(codes.map(() => verdict));
});
