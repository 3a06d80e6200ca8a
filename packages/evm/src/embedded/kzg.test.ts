import { expect, test } from 'vitest';
import { bytesOf, hexOf } from '../hex.ts';
import type { Data } from '../types.ts';
import { verifyKzgProof } from './kzg.ts';

/** Input of the point evaluation precompile in go-ethereum's tests: versioned hash, z, y, commitment, proof. */
const VECTOR = bytesOf(
  '0x01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a',
);
const part = (from: number, to: number): Data => hexOf(VECTOR.subarray(from, to));
const [z, y, commitment, proof] = [part(32, 64), part(64, 96), part(96, 144), part(144, 192)];
const INFINITY: Data = `0xc0${'00'.repeat(47)}`;
const ZERO: Data = `0x${'00'.repeat(32)}`;
const ONE: Data = `0x${'00'.repeat(31)}01`;

test('takes the proof of the known vector, and none for another value or place', () => {
  expect(verifyKzgProof(commitment, z, y, proof)).toBe(true);
  expect(verifyKzgProof(commitment, z, ONE, proof)).toBe(false);
  expect(verifyKzgProof(commitment, ONE, y, proof)).toBe(false);
});

test('the polynomial that is 0 has value 0 everywhere, with the point at infinity as proof', () => {
  expect(verifyKzgProof(INFINITY, z, ZERO, INFINITY)).toBe(true);
  expect(verifyKzgProof(INFINITY, ZERO, ZERO, INFINITY)).toBe(true);
  expect(verifyKzgProof(INFINITY, z, ONE, INFINITY)).toBe(false);
});

test.each([
  ['a value above the field', commitment, z, `0x${'ff'.repeat(32)}` as Data, proof],
  ['a commitment that is no point', `0x${'11'.repeat(48)}` as Data, z, y, proof],
  ['a proof that is too short', commitment, z, y, '0xc0' as Data],
])('refuses %s with the word that makes the call fail', (_, ...input) => {
  expect(() => verifyKzgProof(...input)).toThrow('C_KZG_BADARGS');
});
