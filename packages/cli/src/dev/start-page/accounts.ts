import { accountsWith } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';

/** A development account. Its key is published. */
export interface PublicAccount {
  /** Where it is used: with ed25519 on sequencer and messenger, with secp256k1 on the EVM rollup. */
  readonly on: 'sequencer' | 'evm';
  readonly name?: string;
  readonly address: string;
  /** Hex; with 0x on the EVM rollup, as its tools take it. */
  readonly key: string;
  readonly role: string;
}

export const KEYS_NOTICE = 'PUBLIC TEST KEYS, never for real funds: everybody has them';

/** The accounts that matter where these rollups run. */
export function publicAccounts(rollups: { readonly messenger: boolean; readonly evm: boolean }): PublicAccount[] {
  return [
    ...accountsWith(rollups).map((account) => ({ on: 'sequencer', ...account }) as const),
    ...(rollups.evm ? evmAccounts : []).map(({ address, key }, index): PublicAccount => {
      const role = 'on the EVM rollup, as with anvil and Hardhat';
      return { on: 'evm', name: `account ${index}`, address, key: `0x${key}`, role };
    }),
  ];
}
