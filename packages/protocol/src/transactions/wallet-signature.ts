import { keccak_256 } from '@noble/hashes/sha3.js';
import { bringSecp256k1, getSecp256k1 } from '#secp256k1';
import { equalBytes, toHex } from '../accounts/ids.ts';
import { WALLET_SIGNATURE_LENGTH } from './envelope-parts.ts';

export { encodeEnvelope, isOfWallet, signerOf } from './envelope-parts.ts';

/* Signatures of Ethereum's wallets: r and s of 32 bytes each, and 27 or 28. */

/** Half of the order of the curve: the signature with the other s is the same to the curve, and would make other bytes. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Has to resolve before signatures are verified. */
export const bringWalletSignatures: () => Promise<void> = bringSecp256k1;

export const keccak: (bytes: Uint8Array) => Uint8Array = keccak_256;

/** The 20 bytes of the account that signed the digest; undefined if the 65 bytes are no signature in its one form. */
export function recoverWallet(signature: Uint8Array, digest: Uint8Array): Uint8Array | undefined {
  const recid = (signature[64] ?? 0) - 27;
  if (signature.length !== WALLET_SIGNATURE_LENGTH || recid < 0 || recid > 1) return undefined;
  if (BigInt(`0x${toHex(signature.subarray(32, 64))}`) > HALF_ORDER) return undefined;
  const curve = getSecp256k1();
  try {
    return keccak(curve.ecdsaRecover(signature.slice(0, 64), recid, digest, false).slice(1)).slice(12);
  } catch {
    // The library throws for numbers that name no point.
    return undefined;
  }
}

/** @param account 20 bytes. */
export function isSignedByWallet(signature: Uint8Array, digest: Uint8Array, account: Uint8Array): boolean {
  const signer = recoverWallet(signature, digest);
  return signer !== undefined && equalBytes(signer, account);
}
