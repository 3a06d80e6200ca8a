import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AccountId, createSigner, formatAddress, parseSeed, Rejected } from '@switchyard/protocol';
import { composerAccount, dave, devAccounts, sequencerFaucetAccount } from '../accounts.ts';
import { evmAccounts, evmFaucetAccount } from '../evm-accounts.ts';
import { readText } from '../files.ts';
import type { InstancePaths } from '../home.ts';

/** What is known of an account from its key file, nothing of which is the key. */
export interface KeyAccount {
  readonly account: AccountId;
  readonly address: string;
  /** Its key is published: everybody can spend what it holds. */
  readonly published: boolean;
}

const PUBLISHED = new Set(
  [...devAccounts, dave, composerAccount, sequencerFaucetAccount, ...evmAccounts, evmFaucetAccount].map(
    ({ key }) => key,
  ),
);

/** @returns `undefined` when the text is no key. */
export function accountOfKey(text: string, prefix: string): KeyAccount | undefined {
  const hex = text.trim().replace(/^0x/, '').toLowerCase();
  try {
    const { account } = createSigner(parseSeed(hex));
    return { account, address: formatAddress(account, prefix), published: PUBLISHED.has(hex) };
  } catch (error) {
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}

/** Keys of the user's own among the files of an instance: what removes them removes the only way to what they hold. */
export function ownKeysIn({ config }: InstancePaths): { readonly path: string; readonly address: string }[] {
  const files = existsSync(config) ? readdirSync(config).filter((name) => /_priv_key(\.|$)/.test(name)) : [];
  return files.flatMap((name) => {
    const path = join(config, name);
    const account = accountOfKey(readText(path), 'astria');
    return account === undefined || account.published ? [] : [{ path, address: account.address }];
  });
}
