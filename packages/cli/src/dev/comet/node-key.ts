import { createHash } from 'node:crypto';
import { newKey } from '@switchyard/network/new-key';
import { Failure } from '@switchyard/service/failure';
import { parseJson } from '../files/files.ts';
import { valueAt } from '../files/toml.ts';

/** A new `node_key.json` in CometBFT's form: the identity of a node among its peers. */
export function nodeKeyFile(): string {
  const { seed, publicKey } = newKey();
  const value = Buffer.concat([seed, publicKey]).toString('base64');
  return `${JSON.stringify({ priv_key: { type: 'tendermint/PrivKeyEd25519', value } }, null, 2)}\n`;
}

/** Hex of the first 20 bytes of SHA-256 of the public key, which are the last 32 bytes of the key. @throws {Failure} */
export function nodeIdIn(text: string, path: string): string {
  const value = valueAt(parseJson(text, path), ['priv_key', 'value']);
  const key = Buffer.from(typeof value === 'string' ? value : '', 'base64');
  if (key.length !== 64) throw new Failure(`${path}: priv_key.value: expected 64 bytes in base64`);
  return createHash('sha256').update(key.subarray(32)).digest('hex').slice(0, 40);
}
