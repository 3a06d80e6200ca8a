import { bytesToHex, keccak256 } from '@switchyard/protocol/ethereum';
import { secp256k1 } from '@switchyard/protocol/secp256k1';
import type { Address } from '../types.ts';

export interface Signature {
  /** 32 bytes each. */
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly yParity: 0 | 1;
  /** Keccak-256 of the signed bytes. */
  readonly digest: Uint8Array;
}

/** Recovers the signer; undefined if the numbers name no point of the curve. Native code: tens of microseconds. */
export function recoverSender({ r, s, yParity, digest }: Signature): Address | undefined {
  const compact = new Uint8Array(64);
  compact.set(r);
  compact.set(s, 32);
  try {
    const key = secp256k1.ecdsaRecover(compact, yParity, digest, false);
    return bytesToHex(keccak256(key.subarray(1)).subarray(12));
  } catch {
    // The library throws if there is no such point; the lengths are right.
    return undefined;
  }
}
