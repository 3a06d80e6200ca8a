import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, concatBytes, equalBytes } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';

/** Ed25519 for a web page, if there is no native code. */
export function keyPair(seed: Uint8Array): { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array } {
  return { publicKey: ed25519.getPublicKey(seed), secretKey: Uint8Array.from(seed) };
}

export function signDetached(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return ed25519.sign(message, secretKey);
}

const { Point } = ed25519;

/** The rule of libsodium, on which the number of slow checks in a block depends: no cofactor, one encoding, no point of small order. */
export function verifyDetached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const key = Point.fromBytes(publicKey);
    const commitment = signature.subarray(0, 32);
    const s = bytesToNumberLE(signature.subarray(32));
    if (key.isSmallOrder() || s >= Point.Fn.ORDER) return false;
    const k = Point.Fn.create(bytesToNumberLE(sha512(concatBytes(commitment, publicKey, message))));
    const r = Point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(k));
    return !r.isSmallOrder() && equalBytes(r.toBytes(), commitment);
  } catch {
    // It throws for bytes that encode no point.
    return false;
  }
}
