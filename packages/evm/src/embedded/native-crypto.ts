import { createHash } from 'node:crypto';
import { keccak256 } from '../keccak.ts';
import { secp256k1 } from '../secp256k1.ts';

/* What contracts let the machine compute, in native code: the library's own is JavaScript and many times slower. */

/**
 * The public key behind a signature: precompile 1, and transactions as the library decodes them. The upper half of s
 * is fine here.
 *
 * @param v 27 or 28, 0 or 1, or with a chain id what EIP-155 makes of it.
 * @returns 64 bytes.
 * @throws {Error} where the numbers name no point.
 */
function ecrecover(digest: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array, chainId?: bigint): Uint8Array {
  const parity = v < 2n ? v : v - (chainId === undefined ? 27n : 2n * chainId + 35n);
  if (parity !== 0n && parity !== 1n) throw new Error(`no signature has v ${v}`);
  const signature = new Uint8Array(64);
  signature.set(r, 32 - r.length);
  signature.set(s, 64 - s.length);
  return secp256k1.ecdsaRecover(signature, Number(parity), Uint8Array.from(digest), false).subarray(1);
}

function sha256(data: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(data).digest());
}

export const nativeCrypto = { keccak256, ecrecover, sha256 };
