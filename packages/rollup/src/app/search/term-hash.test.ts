import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pushWordHashes, termHash } from './term-hash.ts';
import { getWords } from './words.ts';

const makeHashes = (text: string) => {
  const hashes: number[] = [];
  pushWordHashes(hashes, text);
  return new Set(hashes);
};
const expected = (text: string) => new Set([...getWords(text, Infinity)].map(termHash));

test('the hashes of the words of a text are those of its words as a search compares them', () => {
  const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
  const mixed = fc.string({ unit: fc.constantFrom('a', 'Z', ' ', '_', '7', 'é', 'ß', '中', '\u0301', 'ﬁ', 'İ', '\0') });
  fc.assert(
    fc.property(fc.oneof(ascii, mixed, fc.string({ unit: 'grapheme' })), (text) => {
      const bytes = Buffer.from(text).toString();
      expect(makeHashes(text)).toEqual(expected(bytes));
    }),
  );
});

test('a long word counts by its beginning', () => {
  const long = 'ab'.repeat(30);
  expect(makeHashes(`${long} ${long}c`)).toEqual(new Set([termHash(long.slice(0, 40))]));
});
