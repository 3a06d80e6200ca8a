import { randomBytes } from 'node:crypto';
import { createSigner, SEED_LENGTH } from '@switchyard/protocol';

/**
 * An Ed25519 key, a new one without a seed: seed and public key, 32 bytes each.
 *
 * Not from `generateKeyPairSync`: in Node 20 its job shares a lock with the key, which an export to JWK holds while it
 * allocates; when the garbage collector then takes the job, the process waits for itself for ever.
 */
export function newKey(seed: Uint8Array = randomBytes(SEED_LENGTH)) {
  return { seed, publicKey: createSigner(seed).publicKey };
}
