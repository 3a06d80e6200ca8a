import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../accounts/ids.ts';
import { Uint128Schema } from '../gen/astria/primitive/v1/types_pb.ts';
import { anyU128 } from '../testing.ts';
import { saturateU128, U128_MAX, u128FromWire, u128ToWire } from './uint128.ts';

// messenger.md 11.
test('2^64 + 5 has its published encoding', () => {
  expect(toHex(toBinary(Uint128Schema, create(Uint128Schema, u128ToWire((1n << 64n) + 5n))))).toBe('08051001');
});

test('an amount comes back from the wire', () => {
  fc.assert(
    fc.property(anyU128, (amount) => {
      expect(u128FromWire(u128ToWire(amount))).toBe(amount);
    }),
  );
  expect(u128FromWire(undefined)).toBe(0n);
});

test('a number over the maximum is an overflow on the wire, and a fee stops there', () => {
  fc.assert(
    fc.property(anyU128, anyU128, (left, right) => {
      const fits = left + right <= U128_MAX;
      if (!fits) expect(() => u128ToWire(left + right)).toThrow('overflow');
      expect(saturateU128(left + right)).toBe(fits ? left + right : U128_MAX);
    }),
  );
});
