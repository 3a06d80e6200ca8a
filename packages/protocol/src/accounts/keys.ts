import { ed25519 } from '@noble/curves/ed25519.js';
import { keyPair, signDetached, verifyDetached } from '#ed25519';
import { accountIdFromPublicKey, PUBLIC_KEY_LENGTH, SIGNATURE_LENGTH } from './ids.ts';
import { badSeed, SEED_LENGTH, type Signer } from './seed.ts';

export { type AsyncSigner, parseSeed, SEED_LENGTH, type Signer } from './seed.ts';

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

/**
 * Ed25519 under the rules of ZIP-215, on which all nodes agree. The native library is tried first: signatures that it accepts,
 * the rules accept. Only its refusals need the slow path, so give a stranger's bytes to {@link verifyStrict}
 * wherever refusing an odd but valid signature does no harm.
 */
export function verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_LENGTH || publicKey.length !== PUBLIC_KEY_LENGTH) return false;
  if (verifyDetached(signature, message, publicKey)) return true;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: true });
  } catch {
    // It throws for bytes that encode no point.
    return false;
  }
}

/** Verifies for an intake: refuses a few signatures that {@link verify} would accept, at native speed. */
export function verifyStrict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_LENGTH || publicKey.length !== PUBLIC_KEY_LENGTH) return false;
  return verifyDetached(signature, message, publicKey);
}
