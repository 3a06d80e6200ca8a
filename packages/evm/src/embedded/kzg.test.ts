import { expect, test } from 'vitest';
import { hexOf } from '../hex.ts';
import { POINT_EVALUATION } from '../testing/contracts.ts';
import type { Data } from '../types.ts';
import { verifyKzgProof } from './kzg.ts';

/** Versioned hash, z, y, commitment, proof. */
const VECTOR = POINT_EVALUATION;
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
