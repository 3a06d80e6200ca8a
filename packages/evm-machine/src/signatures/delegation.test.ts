import { eoaCode7702RecoverAuthority } from '@ethereumjs/util';
import { addressOfKey, bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signAuthorization } from '../testing/sign-authorization.ts';
import { KEY } from '../testing.ts';
import type { Address } from '../types.ts';
import { findAuthority } from './delegation.ts';

const signer = addressOfKey(hexToBytes(KEY));

test('finds who signed an authorization, as EthereumJS does', () => {
  const numbers = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
  const bytes = (value: bigint) => {
    const digits = value === 0n ? '' : value.toString(16);
    return hexToBytes(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`);
  };
  fc.assert(
    fc.property(numbers, numbers, fc.uint8Array({ minLength: 20, maxLength: 20 }), (chainId, nonce, to) => {
      const address: Address = bytesToHex(to);
      const signed = signAuthorization({ chainId, address, nonce }, KEY);
      expect(findAuthority(signed)).toBe(signer);
      const { yParity, r, s } = signed;
      const theirs = eoaCode7702RecoverAuthority([
        ...[bytes(chainId), to, bytes(nonce), bytes(yParity)],
        ...[hexToBytes(r), hexToBytes(s)],
      ] as Parameters<typeof eoaCode7702RecoverAuthority>[0]);
      expect(bytesToHex(theirs.bytes)).toBe(signer);
    }),
    { numRuns: 30 },
  );
});

const good = signAuthorization({ chainId: 1n, address: signer, nonce: 0n }, KEY);

test.each([
  ['a parity that is none', { yParity: 2n }],
  ['the higher s', { s: toWord(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n - BigInt(good.s)) }],
  ['an s of 0', { s: toWord(0n) }],
  ['an r of 0', { r: toWord(0n) }],
  ['an r beyond the curve', { r: toWord((1n << 256n) - 1n) }],
])('finds no signer of %s', (_, change) => {
  expect(findAuthority({ ...good, ...change })).toBeUndefined();
});
