import { JsonRpcError } from '@switchyard/service';
import type { Schema } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import {
  argsFromJson,
  argsFromUri,
  bytes,
  flag,
  hash,
  height,
  hexadecimal,
  optionalCount,
  optionalHeight,
  words,
} from './params.ts';

const B = Buffer.from('hi');
const H = Buffer.alloc(32, 0xab);

test.each([
  ['a height in quotes', optionalHeight, '"12"', 12n],
  ['a height as a number', optionalHeight, '12', 12n],
  ['a negative height', optionalHeight, '"-3"', -3n],
  ['the largest height', optionalHeight, '"9223372036854775807"', 9_223_372_036_854_775_807n],
  ['no height', optionalHeight, 'null', undefined],
  ['no height where 0 stands for it', height, 'null', 0n],
  ['a count', optionalCount, '"5"', 5],
  ['an endless count', optionalCount, '"9223372036854775807"', 1_000_000_000],
  ['a flag', flag, 'true', true],
  ['a text', words, '"a b"', 'a b'],
  ['base64', bytes, `"${B.toString('base64')}"`, B],
  ['base64 without its padding', bytes, '"aGk"', B],
  ['no bytes', bytes, '""', Buffer.alloc(0)],
  ['hexadecimal digits', hexadecimal, '"6869"', B],
  ['a hash in base64', hash, `"${H.toString('base64')}"`, H],
  ['a hash in hexadecimal', hash, `"${H.toString('hex')}"`, H],
])('JSON gives %s', (_, param: Schema<unknown>, json, expected) => {
  expect(argsFromJson({ x: param }, { x: JSON.parse(json) }).x).toEqual(expected);
  expect(argsFromJson({ x: param }, [JSON.parse(json)]).x).toEqual(expected);
});

test.each([
  ['a height', optionalHeight, '12', 12n],
  ['a height in quotes', optionalHeight, '"12"', 12n],
  ['no height', optionalHeight, '', undefined],
  ['a flag', flag, 'true', true],
  ['a text in quotes', words, '"a \\"b\\""', 'a "b"'],
  ['a text without', words, 'accounts/balance/x', 'accounts/balance/x'],
  ['a text in hexadecimal', words, '0x6869', 'hi'],
  ['bytes in hexadecimal', bytes, '0x6869', B],
  ['bytes as a text', bytes, '"hi"', B],
  ['a hash', hash, `0x${H.toString('hex').toUpperCase()}`, H],
])('a URL gives %s', (_, param: Schema<unknown>, text, expected) => {
  expect(argsFromUri({ x: param }, new URLSearchParams({ x: text })).x).toEqual(expected);
});

test.each([
  [optionalHeight, '1.5', 'invalid 64-bit integer encoding 1.5, expected string'],
  [optionalHeight, '"x"', 'invalid 64-bit integer encoding "x", expected string'],
  [optionalHeight, '{}', 'invalid 64-bit integer encoding an object, expected string'],
  [optionalHeight, '9007199254740993', 'invalid 64-bit integer encoding 9007199254740992, expected string'],
  [height, '"9223372036854775808"', '9223372036854775808 is outside 64 bits'],
  [flag, '"true"', 'expected true or false, got "true"'],
  [words, '5', 'expected a string, got 5'],
  [bytes, '"a?b"', 'illegal base64 data'],
  [bytes, '[]', 'expected bytes in base64, got an empty list'],
  [hash, '7', 'expected bytes in base64, got 7'],
  [hexadecimal, '"abc"', 'invalid hex string of 3 characters'],
  [hexadecimal, 'null', 'invalid hex string: null'],
])('refuses %# in JSON with one line', (param: Schema<unknown>, json, why) => {
  const message = `Invalid params: error converting json params to arguments: ${why}`;
  expect(refusal(() => argsFromJson({ x: param }, { x: JSON.parse(json) }))).toEqual(message);
  expect(refusal(() => argsFromJson({ x: param }, [JSON.parse(json)]))).toEqual(message);
});

test.each([
  [optionalHeight, 'x', 'invalid 64-bit integer encoding "x", expected string'],
  [optionalCount, '"1.5"', 'invalid 64-bit integer encoding "1.5", expected string'],
  [flag, '1', 'expected true or false, got "1"'],
  [words, '"a"b"', 'expected JSON, got "\\"a\\"b\\""'],
  [bytes, '0xabc', 'invalid hex string of 3 characters'],
  [hash, 'ab', 'expected 0x and hexadecimal digits, or a text in quotes, got "ab"'],
])('refuses %# in a URL with one line', (param: Schema<unknown>, text, why) => {
  expect(refusal(() => argsFromUri({ x: param }, new URLSearchParams({ x: text })))).toEqual(
    `Invalid params: error converting http params to arguments: ${why}`,
  );
});

test.each(['text', 7, true])('refuses parameters that are %j', (params) => {
  expect(refusal(() => argsFromJson({ hash }, params))).toMatch(
    /: unknown type for JSON params. Expected map or array$/,
  );
});

function refusal(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof JsonRpcError) return error.message;
    throw error;
  }
  return undefined;
}

test('names the parameters that a list must have', () => {
  expect(() => argsFromJson({ hash, prove: flag }, ['x'])).toThrow('expected 2 parameters ([hash prove]), got 1');
});
