import { ed25519 } from '@noble/curves/ed25519.js';

/** Ed25519 for a web page, if there is no native code. */
export function keyPair(seed: Uint8Array): { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array } {
  return { publicKey: ed25519.getPublicKey(seed), secretKey: Uint8Array.from(seed) };
}

export function signDetached(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return ed25519.sign(message, secretKey);
}

export function verifyDetached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // It throws for bytes that encode no point.
    return false;
  }
}
