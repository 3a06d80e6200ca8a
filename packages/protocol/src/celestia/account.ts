/** Accounts of Celestia, which pay for blobs: secp256k1 keys, and addresses as Cosmos writes them. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { bech32 } from '@scure/base';
import { Rejected } from '../errors.ts';
import { sha256 } from '../hash.ts';
import { fromHex, type Id, toHex } from '../ids.ts';

const PREFIX = 'celestia';
const ACCOUNT_LENGTH = 20;
/** No address of 20 bytes is longer; a bound for what a stranger sends. */
const MAX_ADDRESS_LENGTH = 90;

/** 20 bytes in lower-case hex: RIPEMD-160 of SHA-256 of the compressed public key. */
export type CelestiaAccount = Id<'celestia account'>;

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
 * @param secretKey 32 bytes. @throws {Rejected} `malformed` where it is none of the curve's; the message has none of it.
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

/** Refuses what Celestia refuses: another length than 64 bytes, and s in the upper half. Throws for nothing. */
export function verifyCelestiaSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return publicKey.length === 33 && secp256k1.verify(signature, message, publicKey);
  } catch {
    // It throws for what is not a point, and for other lengths.
    return false;
  }
}

/** @param publicKey Compressed, 33 bytes. */
export function celestiaAccountFromPublicKey(publicKey: Uint8Array): CelestiaAccount {
  return celestiaAccountFromBytes(ripemd160(sha256(publicKey)));
}

/** @throws {Rejected} `malformed`, unless it is 20 bytes. */
export function celestiaAccountFromBytes(bytes: Uint8Array): CelestiaAccount {
  if (bytes.length === ACCOUNT_LENGTH) return toHex(bytes) as CelestiaAccount;
  throw new Rejected('malformed', {
    field: 'celestia account',
    expected: `${ACCOUNT_LENGTH} bytes`,
    got: `${bytes.length} bytes`,
  });
}

export const celestiaAccountBytes = (account: CelestiaAccount): Uint8Array => fromHex(account);

/** Bech32 (not bech32m) with the prefix `celestia`, as {@link parseCelestiaAddress} reads it. */
export function formatCelestiaAddress(account: CelestiaAccount): string {
  return bech32.encode(PREFIX, bech32.toWords(celestiaAccountBytes(account)));
}

/** @throws {Rejected} `malformed`, unless it is bech32 over 20 bytes with the prefix `celestia`. */
export function parseCelestiaAddress(text: string): CelestiaAccount {
  const decoded = text.length <= MAX_ADDRESS_LENGTH ? bech32.decodeUnsafe(text) : undefined;
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (decoded && bytes && decoded.prefix === PREFIX) return celestiaAccountFromBytes(bytes);
  throw new Rejected('malformed', {
    address: text.slice(0, MAX_ADDRESS_LENGTH),
    expected: `bech32 text with the prefix ${PREFIX}`,
  });
}
