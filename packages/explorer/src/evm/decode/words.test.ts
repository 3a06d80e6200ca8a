import { AbiCoder, ParamType } from 'ethers/abi';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeWords } from './words.ts';

const TYPES = ['address', 'bool', 'bytes32', 'uint8', 'uint64', 'uint256', 'int128', 'bytes4', 'string', 'uint256[1]'];
const digits = fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 64, maxLength: 64 });
/** Words that are values of small types too. */
const word = fc
  .tuple(digits, fc.integer({ min: 0, max: 64 }))
  .map(([list, zeros]) => list.map((digit, at) => (at < zeros ? '0' : digit.toString(16))).join(''));

test('what it decodes is what the general coder decodes', () => {
  const coder = new AbiCoder();
  let decoded = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...TYPES), word), { maxLength: 4 }), (values) => {
      const parameters = values.map(([type]) => ParamType.from(type));
      const data = `0x${values.map(([, each]) => each).join('')}`;
      const words = decodeWords(parameters, data);
      if (words === undefined) return;
      decoded += 1;
      const general = [...coder.decode(parameters, data)];
      expect(words).toEqual(general.map((value) => (typeof value === 'boolean' ? value : String(value))));
    }),
    { numRuns: 2_000 },
  );
  expect(decoded).toBeGreaterThan(100);
});

test.each([
  ['a word too many', ['uint256'], `0x${'00'.repeat(64)}`],
  ['half a word', ['uint256'], `0x${'00'.repeat(16)}`],
  ['digits above an address', ['address'], `0x01${'00'.repeat(31)}`],
  ['more than a bool', ['bool'], `0x${'00'.repeat(31)}02`],
  ['more than its bits', ['uint8'], `0x${'00'.repeat(30)}0100`],
  ['no digits', ['uint256'], `0x${'zz'.repeat(32)}`],
  ['something that takes more than a word', ['string'], `0x${'00'.repeat(32)}`],
])('%s is left to the general coder', (_, types, data) => {
  expect(
    decodeWords(
      types.map((type) => ParamType.from(type)),
      data,
    ),
  ).toBeUndefined();
});
