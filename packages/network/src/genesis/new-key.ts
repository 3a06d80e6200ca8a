import { randomBytes } from 'node:crypto';
import { createSigner, SEED_LENGTH } from '@switchyard/protocol';

/**
 * A new Ed25519 key: seed and public key, 32 bytes each.
 *
 * Not from `generateKeyPairSync`: in Node 20 its job shares a lock with the key, which an export to JWK holds while it
 * allocates; when the garbage collector then takes the job, the process waits for itself for ever.
 */
export function newKey(): { readonly seed: Uint8Array; readonly publicKey: Uint8Array } {
  const seed = randomBytes(SEED_LENGTH);
  return { seed, publicKey: createSigner(seed).publicKey };
}
