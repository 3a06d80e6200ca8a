import { secp256k1 as noble } from '@noble/curves/secp256k1.js';

/** The curve's functions that are used here: signing by RFC 6979 with the lower s, and recovery of the signer's key. */
export interface Secp256k1 {
  /** @param digest 32 bytes. @param key 32 bytes. @returns r and s, 64 bytes, and the recovery id. */
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { readonly signature: Uint8Array; readonly recid: number };
  /** @param signature r and s. @returns 65 bytes. @throws {Error} if the numbers name no point of the curve. */
  ecdsaRecover(signature: Uint8Array, recid: number, digest: Uint8Array, compressed: false): Uint8Array;
}

/** Slower by a factor of about thirty, and there on every system. */
export const secp256k1: Secp256k1 = {
  ecdsaSign(digest, key) {
    const [recid = 0, ...signature] = noble.sign(digest, key, { prehash: false, format: 'recovered' });
    return { signature: Uint8Array.from(signature), recid };
  },
  ecdsaRecover(signature, recid, digest) {
    const given = noble.Signature.fromBytes(signature, 'compact').addRecoveryBit(recid);
    return given.recoverPublicKey(digest).toBytes(false);
  },
};
