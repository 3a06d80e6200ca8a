import { Failure } from '@switchyard/service/failure';
import { parseJson, readText } from '../files/files.ts';
import { valueAt } from '../files/toml.ts';

/* Keys as the key store of a celestia-node has them. */

/** Protobuf of libp2p: the type Ed25519 (field 1), and a field 2 of 64 or 32 bytes. */
export const PRIVATE_KEY = Buffer.from('08011240', 'hex');
const PUBLIC_KEY = Buffer.from('08011220', 'hex');

/** Bytes of a stored key. @throws {Failure} */
export function getBody(path: string): Buffer {
  const body = valueAt(parseJson(readText(path), path), ['body']);
  return Buffer.from(typeof body === 'string' ? body : '', 'base64');
}

/** The id that peers know this key by: a CID of the public key itself, in base 16. @throws {Failure} */
export function peerIdIn(path: string): string {
  const key = getBody(path);
  if (key.length !== 68 || !key.subarray(0, 4).equals(PRIVATE_KEY))
    throw new Failure(`${path}: expected a key of Ed25519 as celestia-node keeps it`);
  // Base 16; version 1, a key of libp2p; the bytes themselves in place of a hash, 36 of them.
  return `f01720024${Buffer.concat([PUBLIC_KEY, key.subarray(36)]).toString('hex')}`;
}
