import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneOf } from '../schema/one-of.ts';
import { bool, u32 } from '../schema/scalars.ts';
import { i32, i64, i128 } from '../schema/signed.ts';
import type { Type } from '../schema/type.ts';
import { getValues, readArguments } from './arguments.ts';
import { toKeys } from './keys.ts';

const signedBig = (bits: bigint) => fc.bigInt({ min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n });

// Defect: Keys of bool and of signed integers were refused
test.each<[string, Type<unknown>, fc.Arbitrary<number | bigint>]>([
  ['i32', i32, fc.integer()],
  ['i64', i64, signedBig(64n)],
  ['i128', i128, signedBig(128n)],
])('keys of %s sort by value, and are read again', (_, type, values) => {
  const keys = toKeys([type]);
  fc.assert(
    fc.property(values, values, (left, right) => {
      const [a, b] = [keys.toKey([left]), keys.toKey([right])];
      expect(keys.fromKey(a)).toEqual([left]);
      expect(a < b).toBe(left < right);
      expect(a).toHaveLength(keys.maxLength - 1);
    }),
  );
});

test('keys of words and of true and false sort by their place', () => {
  const keys = toKeys([oneOf('sell', 'buy'), bool, u32]);
  expect(keys.toKey(['sell', true, 1])).toBe('00/01/00000001');
  expect(keys.fromKey(keys.toKey(['buy', false, 7]))).toEqual(['buy', false, 7]);
  // A program without types gives such values.
  for (const wrong of [['hold'], ['buy', 1], [undefined]]) expect(() => keys.toKey(wrong)).toThrow('expected');
  expect(() => toKeys([i32]).toKey([2 ** 31])).toThrow('2147483648');
});

test('a negative number is the value of an option', () => {
  const parameters = { by: { type: i64 }, side: { type: oneOf('buy', 'sell') } };
  const options = ['by', 'side'].map((name) => ({ name, of: name, value: 'a value', help: '' }));
  const read = (...args: string[]) => getValues(parameters, options, readArguments(args, options).options);
  expect(read('--by', '-5', '--side', 'sell')).toEqual({ by: -5n, side: 'sell' });
  expect(() => read('--by', '1', '--side', 'hold')).toThrow('--side: expected one of buy, sell, got "hold"');
});
