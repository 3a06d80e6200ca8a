import { hash } from 'node:crypto';
import { keccak256 } from '@switchyard/protocol/ethereum';
import { secp256k1 } from '@switchyard/protocol/secp256k1';

/* The precompiled contracts 1 to 3. */

/** The address, as a word, of who signed: input is a digest, v, r and s, a word each. No bytes if it is no signature. */
export function ecrecover(input: Uint8Array): Uint8Array {
  const given = padded(input, 128);
  const v = given[63] ?? 0;
  if ((v !== 27 && v !== 28) || given.subarray(32, 63).some((byte) => byte !== 0)) return new Uint8Array();
  let key: Uint8Array;
  try {
    key = secp256k1.ecdsaRecover(given.subarray(64), v - 27, given.subarray(0, 32), false);
  } catch {
    return new Uint8Array();
  }
  const word = keccak256(key.subarray(1));
  return word.fill(0, 0, 12);
}

export function sha256(input: Uint8Array): Uint8Array {
  return new Uint8Array(hash('sha256', input, 'buffer'));
}

/** RIPEMD-160 as a word, with 12 zeros before it. */
export function ripemd160(input: Uint8Array): Uint8Array {
  const word = new Uint8Array(32);
  word.set(hash('ripemd160', input, 'buffer'), 12);
  return word;
}

/** The first this many bytes; zeros follow if the input has ended. */
export function padded(input: Uint8Array, length: number): Uint8Array {
  if (input.length >= length) return input.subarray(0, length);
  const whole = new Uint8Array(length);
  whole.set(input);
  return whole;
}
