import { expect, test } from 'vitest';
import { statedIn } from './defined-rollup.ts';

const members = { rollup_name: 'shop', chain_id: 'shop-1', bridge_accounts: [{ bech32m: 'a' }] };

test.each([
  ['snake_case', members],
  ['lowerCamelCase', { rollupName: 'shop', chainId: 'shop-1', bridgeAccounts: [{ bech32m: 'a' }] }],
])('a genesis with its keys in %s has its name and members', (_, file) => {
  expect(statedIn(JSON.stringify(file))).toMatchObject({ name: 'shop', members, bridges: { length: 1 } });
});
