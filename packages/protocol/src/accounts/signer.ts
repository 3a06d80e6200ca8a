/**
 * Signers for commands, by `node:crypto` alone: libsodium takes as long to load as a program of Node to start. A process that
 * signs often takes `createSigner` of the whole package, whose signature takes half the time.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { accountIdFromPublicKey, PUBLIC_KEY_LENGTH } from './ids.ts';
import { badSeed, SEED_LENGTH, type Signer } from './seed.ts';

export { isDevelopmentKey } from './development-keys.ts';
export { parseSeed, type Signer } from './seed.ts';

/** PKCS #8 of an Ed25519 key up to its seed, which ends it (RFC 8410). */
const BEFORE_SEED = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32);

/** An Ed25519 key from its 32-byte seed; it signs the same bytes as any other signer of the seed. */
export function createSigner(seed: Uint8Array): Signer {
  if (seed.length !== SEED_LENGTH) throw badSeed(`${seed.length} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([BEFORE_SEED, seed]), format: 'der', type: 'pkcs8' });
  const encoded = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = Uint8Array.from(encoded.subarray(-PUBLIC_KEY_LENGTH));
  return {
    publicKey,
    account: accountIdFromPublicKey(publicKey),
    sign: (message) => Uint8Array.from(sign(null, message, key)),
  };
}
