/** Accounts of Celestia, which pay for blobs: secp256k1 keys, and addresses as Cosmos writes them. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';
import { type CelestiaAccount, celestiaAccountFromBytes } from './address.ts';

export * from './address.ts';

export interface CelestiaSigner {
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  readonly account: CelestiaAccount;
  /** Signs SHA-256 of the message. 64 bytes: r, s, with s in the lower half of its range; the same for the same message (RFC 6979). */
  sign(message: Uint8Array): Uint8Array;
}

/**
 * The secret stays in the closure: printing a signer shows none of it.
 *
 * @param secretKey 32 bytes. @throws {Rejected} `malformed` if it is invalid for the curve; the message has none of its bytes.
 */
export function createCelestiaSigner(secretKey: Uint8Array): CelestiaSigner {
  if (!secp256k1.utils.isValidSecretKey(secretKey)) {
    throw new Rejected('malformed', { field: 'private key', expected: '32 bytes of secp256k1' });
  }
  const secret = secretKey.slice();
  const publicKey = secp256k1.getPublicKey(secret);
  return {
    publicKey,
    account: celestiaAccountFromPublicKey(publicKey),
    sign: (message) => secp256k1.sign(message, secret),
  };
}

/** Refuses like Celestia: another length than 64 bytes, and s in the upper half. Throws for nothing. */
export function verifyCelestiaSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return publicKey.length === 33 && secp256k1.verify(signature, message, publicKey);
  } catch {
    // It throws for bytes that encode no point, and for other lengths.
    return false;
  }
}

/** @param publicKey Compressed, 33 bytes. */
export function celestiaAccountFromPublicKey(publicKey: Uint8Array): CelestiaAccount {
  return celestiaAccountFromBytes(ripemd160(sha256(publicKey)));
}
