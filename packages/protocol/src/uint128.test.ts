import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Rejected } from './errors.ts';
import { Uint128Schema } from './gen/astria/primitive/v1/types_pb.ts';
import { toHex } from './ids.ts';
import { anyU128 } from './testing.ts';
import { addU128, parseU128, saturateU128, U128_MAX, u128FromWire, u128ToWire } from './uint128.ts';

// messenger.md 11.
test('2^64 + 5 has its published encoding', () => {
  expect(toHex(toBinary(Uint128Schema, create(Uint128Schema, u128ToWire((1n << 64n) + 5n))))).toBe('08051001');
});

test('an amount comes back from the wire and from text', () => {
  fc.assert(
    fc.property(anyU128, (amount) => {
      expect(u128FromWire(u128ToWire(amount))).toBe(amount);
      expect(parseU128(amount.toString())).toBe(amount);
    }),
  );
  expect(u128FromWire(undefined)).toBe(0n);
});

test.each(['', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '1_000', (U128_MAX + 1n).toString(), '9'.repeat(40)])(
  '%j is not an amount',
  (text) => {
    expect(() => parseU128(text)).toThrow(Rejected);
  },
);

test('a sum over the maximum is an overflow, never a smaller number', () => {
  fc.assert(
    fc.property(anyU128, anyU128, (left, right) => {
      const fits = left + right <= U128_MAX;
      if (fits) expect(addU128(left, right)).toBe(left + right);
      else expect(() => addU128(left, right)).toThrow('overflow');
      expect(saturateU128(left + right)).toBe(fits ? left + right : U128_MAX);
    }),
  );
});
