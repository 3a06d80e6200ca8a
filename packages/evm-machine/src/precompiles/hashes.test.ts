import { ecrecover as slow } from '@ethereumjs/util';
import { hexToBytes, keccak256, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ecrecover } from './hashes.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Mostly numbers of the curve, and those around its edges. */
const number = fc
  .oneof(
    fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
    fc.bigInt({ min: 0n, max: 1_000n }),
    fc.bigInt({ min: ORDER - 3n, max: ORDER + 3n }),
    fc.constant(ORDER / 2n + 1n),
  )
  .map((value) => hexToBytes(toWord(value)));

const parity = fc.constantFrom(27n, 28n, 0n, 1n, 29n, 1n << 64n);

/** The account as a word; no bytes if the library finds none. */
function expected(digest: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array): Uint8Array {
  if (v !== 27n && v !== 28n) return new Uint8Array();
  try {
    return keccak256(slow(digest, v, r, s)).fill(0, 0, 12);
  } catch {
    return new Uint8Array();
  }
}

test('ecrecover finds what the library finds, for any numbers', () => {
  fc.assert(
    fc.property(number, parity, number, number, (digest, v, r, s) => {
      const found = ecrecover(Buffer.concat([digest, hexToBytes(toWord(v)), r, s]));
      expect(found).toEqual(expected(digest, v, r, s));
    }),
    { numRuns: 300 },
  );
});
