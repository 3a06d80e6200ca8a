import { fromHex, isDevelopmentKey, sha256, toHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { DEVELOPMENT_KEY } from './key.ts';

test('the key of networks for development is known as published', () => {
  expect(DEVELOPMENT_KEY).toBe(toHex(sha256(new TextEncoder().encode('celestia devnet relayer'))));
  expect(isDevelopmentKey(fromHex(DEVELOPMENT_KEY))).toBe(true);
});
