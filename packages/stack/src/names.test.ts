import { expect, test } from 'vitest';
import { longestWith, MAX_ROLLUP_NAME, objectName } from './names.ts';

test('the longest rollup name leaves room for the label with the revision of a StatefulSet', () => {
  const longest = 'r'.repeat(MAX_ROLLUP_NAME);
  const names = (['evm', 'faucet', 'explorer', 'da-light'] as const).map(
    (part) => `${objectName(longest, part)}-5d4f8c7b9f`,
  );
  expect(Math.max(...names.map((name) => name.length))).toBe(63);
  expect(`${objectName('r'.repeat(longestWith('withdrawer')), 'withdrawer')}-5d4f8c7b9f`).toHaveLength(63);
});
