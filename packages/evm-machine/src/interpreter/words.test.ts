import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressAt, bigAt, hashAt, PARTS, setBig, setHex } from './words.ts';

test('words to hex and back', () => {
  const words = new Uint32Array(3 * PARTS);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      setBig(words, 0, value);
      setHex(words, PARTS, hashAt(words, 0));
      expect(bigAt(words, PARTS)).toBe(value);
      words.fill(0xffff_ffff, PARTS);
      setHex(words, PARTS, addressAt(words, 0));
      expect(bigAt(words, PARTS)).toBe(BigInt.asUintN(160, value));
      expect(words[2 * PARTS]).toBe(0xffff_ffff);
    }),
  );
});
