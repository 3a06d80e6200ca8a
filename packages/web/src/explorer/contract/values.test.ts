import { AbiCoder, ParamType } from 'ethers/abi';
import { expect, test } from 'vitest';
import { InvalidValue, parseCoins, parseValue, resultAt, resultText } from './values.ts';

const SOME = `0x${'ab'.repeat(20)}`;

test.each([
  ['uint256', '12', 12n],
  ['uint8', '0xff', 255n],
  ['int8', '-128', -128n],
  ['bool', ' true ', true],
  ['address', SOME, SOME],
  ['bytes', '0x', '0x'],
  ['bytes4', '0x01020304', '0x01020304'],
  ['string', ' <b> ', ' <b> '],
  ['uint256[]', '[1, "0x02", "99999999999999999999"]', [1n, 2n, 99999999999999999999n]],
  ['tuple(address a, bool[2] b)', `{"a": "${SOME}", "b": [true, false]}`, [SOME, [true, false]]],
  ['tuple(address a, bool b)', `["${SOME}", true]`, [SOME, true]],
])('%s is read from what was typed, and can be encoded', (type, text, value) => {
  const parameter = ParamType.from(type);
  const parsed = parseValue(parameter, text);
  expect(parsed).toEqual(value);
  expect(AbiCoder.defaultAbiCoder().encode([parameter], [parsed])).toMatch(/^0x/);
});

test.each([
  ['uint256', '', 'uint256: expected a whole number, got nothing'],
  ['uint256', '1.5', 'uint256: expected a whole number, got "1.5"'],
  ['uint8', '256', 'uint8: expected a number that uint8 can hold, got "256"'],
  ['uint8', '-1', 'uint8: expected a number that uint8 can hold, got "-1"'],
  ['int8', '128', 'int8: expected a number that int8 can hold, got "128"'],
  ['bool', 'yes', 'bool: expected true or false, got "yes"'],
  ['address', '0x12', 'address: expected 0x and 40 hex digits, got "0x12"'],
  ['bytes4', '0x01', 'bytes4: expected 4 bytes in hex, got "0x01"'],
  ['bytes', '0x1', 'bytes: expected bytes in hex, got "0x1"'],
  ['uint256[]', '1,2', 'uint256[]: expected JSON, got "1,2"'],
  ['uint256[2]', '[1]', 'uint256[2]: expected a list of 2, got "[1]"'],
  ['uint256[]', '[9007199254740993]', 'uint256: expected a number this long as text, got "9007199254740992"'],
  ['tuple(bool a)', '[true, true]', 'tuple(bool): expected 1 members, got "[true,true]"'],
])('for %s, %j is refused in one line', (type, text, message) => {
  const parse = () => parseValue(ParamType.from(type), text);
  expect(parse).toThrow(InvalidValue);
  expect(parse).toThrow(message);
});

test('amounts are in coins', () => {
  expect(parseCoins('0.1')).toBe(10n ** 17n);
  expect(parseCoins('')).toBe(0n);
  expect(() => parseCoins('-1')).toThrow('value: expected a number with at most 18 digits after the point, got "-1"');
  expect(() => parseCoins('0,1')).toThrow('value: expected 1 or 0.1, written without commas, got "0,1"');
  expect(() => parseCoins('1e3')).toThrow(InvalidValue);
});

test('results are shown by their digits, lists and tuples as JSON with names', () => {
  const show = (type: string, value: unknown) => {
    const coder = AbiCoder.defaultAbiCoder();
    const parameter = ParamType.from(type);
    return resultText(parameter, coder.decode([parameter], coder.encode([parameter], [value]))[0]);
  };
  expect(show('uint256', 2n ** 255n)).toBe(String(2n ** 255n));
  expect(show('string', '<b>')).toBe('<b>');
  expect(JSON.parse(show('tuple(uint256 a, bool[] b)[]', [[1, [true]]]))).toEqual([{ a: '1', b: ['true'] }]);
});

test('a text that is no UTF-8 is shown as bytes, and the results beside it as they are', () => {
  const coder = AbiCoder.defaultAbiCoder();
  const types = ['string', 'uint256'].map((each) => ParamType.from(each));
  const results = coder.decode(types, coder.encode(['bytes', 'uint256'], ['0xff61', 7]));
  expect(types.map((type, index) => resultAt(type, results, index))).toEqual(['0xff61', '7']);
});

// Defect: results of a contract were shown with the line breaks of its author, and lists of constructor arguments with
// hidden characters in them
test('nothing is hidden in what a contract answers, and only line ends of ours break its lines', () => {
  const coder = AbiCoder.defaultAbiCoder();
  const [one, list] = [ParamType.from('string'), ParamType.from('string[]')];
  const text = 'a\u202eb\nc';
  const results = coder.decode([one, list], coder.encode([one, list], [text, [text]]));
  expect([resultAt(one, results, 0), resultAt(list, results, 1)]).toEqual([
    'a\\u{202e}b\\u{a}c',
    '[\n "a\\u202eb\\nc"\n]',
  ]);
});
