import { ed25519 } from '@noble/curves/ed25519.js';
import { keyPair, signDetached, verifyDetached } from '#ed25519';
import { Rejected } from './errors.ts';
import { type AccountId, accountIdFromPublicKey, fromHex, PUBLIC_KEY_LENGTH, SIGNATURE_LENGTH } from './ids.ts';

export const SEED_LENGTH = 32;

export interface Signer {
  readonly publicKey: Uint8Array;
  readonly account: AccountId;
  sign(message: Uint8Array): Uint8Array;
}

/** A signer whose key is held elsewhere, such as a key of a browser's own cryptography, which gives no secret away. */
export interface AsyncSigner {
  readonly publicKey: Uint8Array;
  readonly account: AccountId;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** An Ed25519 key from its 32-byte seed. The secret stays in the closure: printing a signer shows none of it. */
export function createSigner(seed: Uint8Array): Signer {
  if (seed.length !== SEED_LENGTH) throw badSeed(`${seed.length} bytes`);
  const { publicKey, secretKey } = keyPair(seed);
  return {
    publicKey,
    account: accountIdFromPublicKey(publicKey),
    sign: (message) => signDetached(message, secretKey),
  };
}

/** 64 hex digits; white space around them is ignored, since keys come from files. The message never shows the text. */
export function parseSeed(hexText: string): Uint8Array {
  const digits = hexText.trim();
  if (digits.length !== 2 * SEED_LENGTH) throw badSeed(`${digits.length} characters`);
  try {
    return fromHex(digits);
  } catch {
    throw badSeed('other characters than hex digits');
  }
}

function badSeed(got: string): Rejected {
  return new Rejected('malformed', { field: 'private key', expected: '32 bytes as 64 hex digits', got });
}

/**
 * Ed25519 under the rules of ZIP-215, on which all nodes agree. The native library is asked first: what it accepts,
 * the rules accept. Only what it refuses needs the slow road, so give a stranger's bytes to {@link verifyStrict}
 * wherever refusing an odd but valid signature does no harm.
 */
export function verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_LENGTH || publicKey.length !== PUBLIC_KEY_LENGTH) return false;
  if (verifyDetached(signature, message, publicKey)) return true;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: true });
  } catch {
    // It throws for what is not a point.
    return false;
  }
}

/** Verifies for an intake: refuses a few signatures that {@link verify} would accept, at native speed. */
export function verifyStrict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_LENGTH || publicKey.length !== PUBLIC_KEY_LENGTH) return false;
  return verifyDetached(signature, message, publicKey);
}
