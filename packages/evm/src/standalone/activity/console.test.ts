import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consoleLine } from './console.ts';

const word = (hex: string) => hex.padStart(64, '0');
const text = (value: string) => {
  const hex = Buffer.from(value).toString('hex');
  return word((hex.length / 2).toString(16)) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
};
const formatLine = (...hex: readonly string[]) => consoleLine(Buffer.from(hex.join(''), 'hex'));

// Selectors are those of the library, as compilers put them into contracts.
test.each([
  ['log()', ['51973ec9'], ''],
  ['log(string)', ['41304fac', word('20'), text('hello')], 'hello'],
  ['log(uint256)', ['f82c50f1', word('2a')], '42'],
  ['log(uint), of older versions', ['f5b1bba9', word('2a')], '42'],
  ['log(int256)', ['2d5b6cb9', 'f'.repeat(63), 'e'], '-2'],
  ['log(bool)', ['32458eed', word('1')], 'true'],
  [
    'log(address)',
    ['2c2ecbc2', word('f39fd6e51aad88f6f4ce6ab8827279cfffb92266')],
    '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  ],
  ['log(bytes)', ['0be77f56', word('20'), word('2'), 'beef'.padEnd(64, '0')], '0xbeef'],
  ['log(bytes32)', ['27b7cf85', 'ab'.repeat(32)], `0x${'ab'.repeat(32)}`],
  ['log(bytes1)', ['6e18a128', 'ab'.padEnd(64, '0')], '0xab'],
  ['log(string,uint256)', ['b60e72cc', word('40'), word('7'), text('seven')], 'seven 7'],
  ['log(string,uint), of older versions', ['9710a9d0', word('40'), word('7'), text('seven')], 'seven 7'],
  ["log(string,int256) of Foundry's library", ['3ca6268e', word('40'), 'f'.repeat(64), text('minus')], 'minus -1'],
  ['places in a text', ['b60e72cc', word('40'), word('7'), text('%d of %s, 10%%')], '7 of %s, 10%'],
  [
    'log(string,string,string,string)',
    ['de68f20a', word('80'), word('c0'), word('100'), word('140'), text('a'), text('b'), text('c'), text('d')],
    'a b c d',
  ],
])('%s', (_, input, expected) => {
  expect(formatLine(...input)).toBe(expected);
});

test.each([
  ['an unknown selector', ['deadbeef', word('1')]],
  ['a missing argument', ['f82c50f1']],
  ['an offset beyond the data', ['41304fac', 'f'.repeat(64)]],
  ['a length beyond the data', ['41304fac', word('20'), word('21'), word('1')]],
])('%s prints nothing', (_, input) => {
  expect(formatLine(...input)).toBeUndefined();
});

test('whatever a contract passes is a line or nothing', () => {
  const selector = fc.constantFrom('41304fac', 'b60e72cc', 'de68f20a', '0be77f56');
  const words = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 300 }).map((value) => word(value.toString(16))),
      fc.constant('f'.repeat(64)),
      fc.constant('00'),
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(selector, words, (first, rest) => {
      expect(['string', 'undefined']).toContain(typeof formatLine(first, ...rest));
    }),
  );
});
