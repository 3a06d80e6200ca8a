import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { keccak256, keccakHex, keccakText } from './keccak.ts';

test('hashes as Ethereum does', () => {
  expect(keccakHex(new Uint8Array())).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  expect(keccakHex(Uint8Array.of(0x80))).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
});

test('gives the same as the library for every length around the size of some blocks, and for large ones', () => {
  for (const length of [...Array.from({ length: 600 }, (_, index) => index), 5_000, 130_000, 131_072, 3_000_000]) {
    const bytes = createHash('shake256', { outputLength: length + 1 })
      .update(`${length}`)
      .digest()
      .subarray(0, length);
    const expected = Buffer.from(keccak_256(bytes)).toString('hex');
    expect(Buffer.from(keccak256(bytes)).toString('hex')).toBe(expected);
    expect(keccakHex(bytes)).toBe(`0x${expected}`);
    expect(Buffer.from(keccakText(bytes), 'latin1').toString('hex')).toBe(expected);
  }
});

test('a result stays what it was when others are made', () => {
  const first = keccak256(Uint8Array.of(1));
  const copy = Uint8Array.from(first);
  for (let byte = 0; byte < 256; byte++) keccak256(Uint8Array.of(byte));
  expect(first).toEqual(copy);
});
