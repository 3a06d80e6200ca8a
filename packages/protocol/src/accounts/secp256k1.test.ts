import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesToHex } from '../ethereum/hex.ts';
import { loadNative } from './secp256k1.node.ts';
import { secp256k1 as portable } from './secp256k1.portable.ts';

const native = loadNative();
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** Below the order of the curve, and not zero. */
const key = bytes(32).map((seed) => Uint8Array.from([1, ...seed.subarray(1)]));

const recovered = (curve: typeof portable, ...args: Parameters<typeof portable.ecdsaRecover>) => {
  try {
    return bytesToHex(curve.ecdsaRecover(...args));
  } catch {
    return 'no key';
  }
};

test.runIf(native)('the portable code signs and recovers as the native library does', () => {
  if (native === undefined) return;
  fc.assert(
    fc.property(key, bytes(32), (secret, digest) => {
      const own = portable.ecdsaSign(digest, secret);
      const theirs = native.ecdsaSign(digest, secret);
      expect([bytesToHex(own.signature), own.recid]).toEqual([
        bytesToHex(Uint8Array.from(theirs.signature)),
        theirs.recid,
      ]);
      expect(recovered(portable, own.signature, own.recid, digest, false)).toBe(
        recovered(native, own.signature, own.recid, digest, false),
      );
    }),
    { numRuns: 25 },
  );
});

test.runIf(native)('they agree on numbers that are no signature, and on the upper half of s', () => {
  if (native === undefined) return;
  const edges = ['00'.repeat(32), `${'00'.repeat(31)}01`, 'ff'.repeat(32), ORDER, minusOne(ORDER), minusOne(HALF)];
  const part = fc.oneof(
    bytes(32),
    fc.constantFrom(...edges).map((hex) => Uint8Array.from(Buffer.from(hex, 'hex'))),
  );
  fc.assert(
    fc.property(part, part, fc.integer({ min: 0, max: 1 }), bytes(32), (r, s, recid, digest) => {
      const signature = Uint8Array.from([...r, ...s]);
      expect(recovered(portable, signature, recid, digest, false)).toBe(
        recovered(native, signature, recid, digest, false),
      );
    }),
    { numRuns: 60 },
  );
});

const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const HALF = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1';
const minusOne = (hex: string) => (BigInt(`0x${hex}`) - 1n).toString(16).padStart(64, '0');
