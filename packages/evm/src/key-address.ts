import { createECDH } from 'node:crypto';
import { hexOf } from './hex.ts';
import { keccak256 } from './keccak.ts';
import type { Address } from './types.ts';

/** The account of a private key of 32 bytes. @throws where secp256k1 has no such key. */
export function addressOfKey(secret: Uint8Array): Address {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(secret);
  return hexOf(keccak256(new Uint8Array(curve.getPublicKey()).subarray(1)).subarray(12));
}
