import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accountIdFromPublicKey, createSigner, formatAddress, fromHex, isDevelopmentKey } from '@switchyard/protocol';
import { BadKeyFile, parseKeyFile } from '@switchyard/service';
import { tried } from '@switchyard/service/failure';
import { readText } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';

/**
 * Public facts about an account, from its key file; the key is not among them.
 *
 * @returns with whether its key is published, so that everybody can spend its funds; `undefined` when the text is no key.
 */
export function accountOfKey(text: string, prefix: string) {
  return tried(BadKeyFile, undefined, () => {
    const file = parseKeyFile(text);
    if ('secret' in file) {
      const { account } = createSigner(file.secret);
      return { account, address: formatAddress(account, prefix), published: isDevelopmentKey(file.secret) };
    }
    // It names its account also without the passphrase.
    const { kind, publicKey } = file.encrypted;
    if (kind !== 'ed25519') return undefined;
    const account = accountIdFromPublicKey(fromHex(publicKey));
    return { account, address: formatAddress(account, prefix), published: false };
  });
}

/** Keys of the user's own among the files of an instance: removing them removes the only access to their funds. */
export function ownKeysIn({ config }: InstancePaths): { readonly path: string; readonly address: string }[] {
  const files = existsSync(config) ? readdirSync(config).filter((name) => /_priv_key(\.|$)/.test(name)) : [];
  return files.flatMap((name) => {
    const path = join(config, name);
    const account = accountOfKey(readText(path), 'astria');
    return account === undefined || account.published ? [] : [{ path, address: account.address }];
  });
}
