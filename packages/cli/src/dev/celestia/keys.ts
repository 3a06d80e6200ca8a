import { randomBytes } from 'node:crypto';
import { dirname, relative } from 'node:path';
import { newKey } from '@switchyard/network/new-key';
import { toHex } from '@switchyard/protocol';
import { createCelestiaSigner, formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { Failure } from '@switchyard/service/failure';
import { lightReadToken } from '@switchyard/stack/light-token';
import { makeDirectory, readText, writeAbsent } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { celestiaPaths } from './layout.ts';
import { getBody, PRIVATE_KEY } from './stored-key.ts';

/** Names of two keys in the key store of a celestia-node: `p2p-key` and `jwt-secret.jwt` in base32 (RFC 4648), without padding. */
export const STORED_AS = { p2pKey: 'OAZHALLLMV4Q', jwtSecret: 'NJ3XILLTMVRXEZLUFZVHO5A' } as const;

const stored = (key: Uint8Array) => `${JSON.stringify({ body: Buffer.from(key).toString('base64') })}\n`;

/** A new identity of a node among its peers, in the form of its key store. */
export function p2pKeyFile(): string {
  const { seed, publicKey } = newKey();
  return stored(Buffer.concat([PRIVATE_KEY, seed, publicKey]));
}

/** The account on Celestia that a key file belongs to. @throws {Failure} */
export function accountIn(path: string): string {
  const text = readText(path).trim();
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new Failure(`${path}: expected 64 hexadecimal digits, the key that pays on the Celestia network`);
  return formatCelestiaAddress(createCelestiaSigner(Buffer.from(text, 'hex')).account);
}

/** Makes the keys of the Celestia network that an instance lacks. @returns those written, relative to the instance. @throws {Failure} */
export function makeCelestiaKeys(paths: InstancePaths): string[] {
  const { bridgeKey, lightSecret, readToken, relayerKey } = celestiaPaths(paths);
  makeDirectory(dirname(bridgeKey));
  const files: readonly (readonly [path: string, text: () => string])[] = [
    [bridgeKey, p2pKeyFile],
    [lightSecret, () => stored(randomBytes(32))],
    [readToken, () => `${lightReadToken(getBody(lightSecret))}\n`],
    // A new key, unlike the published one for the local layer, which the relayer refuses on any other.
    [relayerKey, () => toHex(randomBytes(32))],
  ];
  const written = writeAbsent(files.map(([path, text]) => ({ path, text, mode: 0o600 })));
  return written.map((path) => relative(paths.directory, path));
}
