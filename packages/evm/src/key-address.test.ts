import { expect, test } from 'vitest';
import { DEV_ACCOUNTS } from './dev-accounts.ts';
import { bytesOf } from './hex.ts';
import { addressOfKey } from './key-address.ts';

test('has the published addresses of the published keys', () => {
  expect(DEV_ACCOUNTS.length).toBeGreaterThan(1);
  for (const { privateKey, address } of DEV_ACCOUNTS) expect(addressOfKey(bytesOf(privateKey))).toBe(address);
});
