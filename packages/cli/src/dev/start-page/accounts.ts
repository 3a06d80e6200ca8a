import { accountsWith } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import type { PublicAccount } from '../status/network.ts';

export const KEYS_NOTICE = 'PUBLIC TEST KEYS, never for real funds: everybody has them';

/** The accounts of users of these rollups. */
export function publicAccounts(rollups: { readonly messenger: boolean; readonly evm: boolean }): PublicAccount[] {
  return [
    ...accountsWith(rollups).map((account) => ({ on: 'sequencer', ...account }) as const),
    ...(rollups.evm ? evmAccounts : []).map(({ address, key }, index): PublicAccount => {
      const role = 'on the EVM rollup, as with anvil and Hardhat';
      return { on: 'evm', name: `account ${index}`, address, key: `0x${key}`, role };
    }),
  ];
}
