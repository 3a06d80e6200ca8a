import { action, defineRollup } from '@switchyard/rollup';
import { expect, test } from 'vitest';
import { statedIn } from './defined-rollup.ts';

const shop = defineRollup({ name: 'shop', actions: { open: action({ fields: {}, execute: () => undefined }) } });
const account = { bech32m: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm' };
const members = { rollup_name: 'shop', chain_id: 'shop-1', bridge_accounts: [account] };

// Defect: A genesis with `rollupName` was blamed for `rollup_name`
test.each([
  ['snake_case', members],
  ['lowerCamelCase', { rollupName: 'shop', chainId: 'shop-1', bridgeAccounts: [account] }],
])('a genesis with its keys in %s has its name and members', (_, file) => {
  const { name, genesis, ...stated } = statedIn(shop, JSON.stringify(file));
  expect(stated).toEqual({ takesDeposits: true, paysWithdrawals: false });
  const facts = {
    rollupName: name,
    chainId: 'local',
    nativeDenom: 'nria',
    bridge: 'a',
    getBridge: (asset: string) => asset,
  };
  const bridges = { bridge_accounts: [{ bech32m: 'nria' }], withdrawals: [] };
  expect(JSON.parse(genesis(facts))).toEqual({ ...members, sequencer_chain_id: 'local', ...bridges });
});
