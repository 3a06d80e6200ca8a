import { readFileSync } from 'node:fs';
import {
  celestiaAccountFromPublicKey,
  createCelestiaSigner,
  formatCelestiaAddress,
} from '@switchyard/protocol/celestia/account';
import { Rejected } from '@switchyard/protocol/values';
import { tried } from '@switchyard/service/failure';
import { BadKeyFile, parseKeyFile } from '@switchyard/service/settings';

/** The account of a relayer, as its layer writes it, by the text of its key file; `undefined` when that holds no key. */
export function relayerAccountOfKey(text: string): string | undefined {
  try {
    const file = parseKeyFile(text);
    if ('secret' in file) return formatCelestiaAddress(createCelestiaSigner(file.secret).account);
    // It names its account also without the passphrase.
    const { kind, publicKey } = file.encrypted;
    if (kind !== 'secp256k1') return undefined;
    return formatCelestiaAddress(celestiaAccountFromPublicKey(new Uint8Array(Buffer.from(publicKey, 'hex'))));
  } catch (error) {
    if (error instanceof BadKeyFile || error instanceof Rejected) return undefined;
    throw error;
  }
}

/** Reads the account from a key file; `undefined` also if it cannot be read, which the relayer itself reports. */
export function relayerAccount(path: string): string | undefined {
  return tried(Error, undefined, () => relayerAccountOfKey(readFileSync(path, 'utf8')));
}
