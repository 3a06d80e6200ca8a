import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asBytes, asList, asUint, decodeRlp, encodeRlp, InvalidRlp, type RlpTree } from './rlp.ts';

const bytes = fc.uint8Array({ maxLength: 70 });
const tree: fc.Arbitrary<RlpTree> = fc.letrec<{ tree: RlpTree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 5 }, bytes, fc.array(tie('tree'), { maxLength: 5 })),
})).tree;

/** Appendix B of the Yellow Paper, word by word. */
function plainly(value: RlpTree): Uint8Array {
  if (value instanceof Uint8Array) {
    return value.length === 1 && (value[0] ?? 0) < 0x80 ? value : headed(0x80, value);
  }
  return headed(0xc0, Buffer.concat(value.map(plainly)));
}

function headed(base: number, content: Uint8Array): Uint8Array {
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  const head = content.length < 56 ? [base + content.length] : [base + 55 + length.length, ...length];
  return Buffer.concat([Uint8Array.from(head), content]);
}

test('encodes as the definition does, and decodes what it encodes', () => {
  fc.assert(
    fc.property(tree, (value) => {
      const encoded = encodeRlp(value);
      expect(Buffer.from(encoded).toString('hex')).toBe(Buffer.from(plainly(value)).toString('hex'));
      expect(decodeRlp(encoded)).toEqual(value);
    }),
  );
});

test.each([55, 56, 255, 256, 65_535, 65_536, 16_777_216])('lengths are written as they must be: %i', (length) => {
  const value = new Uint8Array(length);
  expect(Buffer.compare(encodeRlp(value), plainly(value))).toBe(0);
  const [decoded] = asList(decodeRlp(encodeRlp([value])), 1);
  expect(Buffer.compare(asBytes(decoded, length), value)).toBe(0);
});

test('numbers have no leading zeros, and hex text is bytes', () => {
  const encoded = encodeRlp([0n, 1n, 127n, 128n, 1n << 64n, '0x00ff']);
  expect(Buffer.from(encoded).toString('hex')).toBe('d280017f8180890100000000000000008200ff');
  expect(() => asUint(Uint8Array.of(0, 1), 8)).toThrow('begins with a zero');
  expect(() => asUint(new Uint8Array(9).fill(1), 8)).toThrow('at most 8 fit');
});

test.each([
  ['nothing', []],
  ['a byte written long', [0x81, 0x05]],
  ['a short length written long', [0xb8, 0x01, 0xff]],
  ['a length that begins with a zero', [0xb9, 0x00, 0x38]],
  ['fewer bytes than its length', [0x83, 1, 2]],
  ['more bytes than its length', [0x81, 0xff, 0]],
  ['an item longer than its list', [0xc1, 0x82]],
  ['a length of five bytes', [0xfc, 1, 1, 1, 1, 1]],
  ['lists without end', new Array(100).fill(0xc1)],
])('refuses %s', (_, input) => {
  expect(() => decodeRlp(Uint8Array.from(input))).toThrow(InvalidRlp);
});

test('no input does anything but decode to what encodes to it, or is refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (input) => {
      let decoded: RlpTree;
      try {
        decoded = decodeRlp(input);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidRlp);
        return;
      }
      expect(encodeRlp(decoded)).toEqual(input);
    }),
    { numRuns: 1_000 },
  );
});
