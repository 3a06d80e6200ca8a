import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { AccountNonce } from './account-nonce.ts';

test('less than our transactions have reached means lost blocks, until it is reached again', () => {
  const nonce = new AccountNonce(0, manualClock());
  nonce.report(5, 5);
  nonce.used(4);
  expect(nonce.lost).toBeUndefined();
  nonce.report(2, 5);
  expect([nonce.value, nonce.lost]).toEqual([2, { reported: 2, reached: 5 }]);
  nonce.report(5, 5);
  expect(nonce.lost).toBeUndefined();
});
