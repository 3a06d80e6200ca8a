import { createHash } from 'node:crypto';
import { ecrecover as slow } from '@ethereumjs/util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, wordOf } from '../hex.ts';
import { nativeCrypto } from './native-crypto.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Mostly numbers of the curve, and those around its edges. */
const number = fc
  .oneof(
    fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
    fc.bigInt({ min: 0n, max: 1_000n }),
    fc.bigInt({ min: ORDER - 3n, max: ORDER + 3n }),
    fc.constant(ORDER / 2n + 1n),
  )
  .map((value) => bytesOf(wordOf(value)));

/** As precompiles and transactions have it. */
const parity = fc.constantFrom<[bigint, bigint | undefined]>(
  [27n, undefined],
  [28n, undefined],
  [0n, undefined],
  [1n, 5n],
  [45n, 5n],
  [46n, 5n],
  [27n, 5n],
  [2n, undefined],
);

const outcome = (recover: () => Uint8Array) => {
  try {
    return Buffer.from(recover()).toString('hex');
  } catch {
    return 'not recovered';
  }
};

test('ecrecover finds what the library finds, for any numbers', () => {
  fc.assert(
    fc.property(number, parity, number, number, (digest, [v, chainId], r, s) => {
      const found = outcome(() => nativeCrypto.ecrecover(digest, v, r, s, chainId));
      expect(found).toBe(outcome(() => slow(digest, v, r, s, chainId)));
    }),
    { numRuns: 300 },
  );
});

test('sha256 is SHA-256', () => {
  expect(Buffer.from(nativeCrypto.sha256(Uint8Array.of(1, 2)))).toEqual(
    createHash('sha256').update(Uint8Array.of(1, 2)).digest(),
  );
});
