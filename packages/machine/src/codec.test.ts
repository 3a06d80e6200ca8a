import { fromHex, toHex } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeValue, encodeValue, type ValueCodec } from './codec.ts';
import { accountId, assetId, text, txHash } from './keys.ts';
import { alice, NRIA, testTxHash } from './testing.ts';
import { bool, bytes, list, optional, raw, struct, u32, u64, u128, unit } from './values.ts';

const row = struct({ id: u32, name: text, tags: list(text), by: optional(accountId), data: raw });

function pinned<V>(name: string, codec: ValueCodec<V>, value: V, hex: string) {
  return {
    name,
    hex,
    encode: () => encodeValue(codec, value),
    decode: (stored: Uint8Array) => expect(decodeValue(codec, stored)).toEqual(value),
  };
}

// These bytes are on disk and under the root of every chain. A change here is an upgrade.
test.each([
  pinned('u32', u32, 1, '00000001'),
  pinned('the largest u32', u32, 0xffff_ffff, 'ffffffff'),
  pinned('u64', u64, 0x0102_0304_0506_0708n, '0102030405060708'),
  pinned('u128', u128, (1n << 127n) + 5n, '80000000000000000000000000000005'),
  pinned('true', bool, true, '01'),
  pinned('false', bool, false, '00'),
  pinned('unit', unit, true, '01'),
  pinned('bytes', bytes, Uint8Array.of(9, 8), '000000020908'),
  pinned('raw bytes', raw, Uint8Array.of(9, 8), '0908'),
  pinned('text', text, 'aé€😀', '0000000a61c3a9e282acf09f9880'),
  pinned('an account', accountId, alice, 'a1'.repeat(20)),
  pinned('an asset', assetId, NRIA, NRIA),
  pinned('a transaction hash', txHash, testTxHash(0), testTxHash(0)),
  pinned('nothing', optional(u32), undefined, '00'),
  pinned('something', optional(u32), 7, '0100000007'),
  pinned('a list', list(u32), [1, 2], '000000020000000100000002'),
  pinned(
    'a struct',
    row,
    { id: 3, name: 'x', tags: ['y', ''], by: undefined, data: Uint8Array.of(255) },
    '00000003' + '0000000178' + '00000002' + '0000000179' + '00000000' + '00' + 'ff',
  ),
])('encodes $name in these bytes', ({ encode, decode, hex }) => {
  expect(toHex(encode())).toBe(hex);
  decode(fromHex(hex));
});

test.each<[string, ValueCodec<unknown>, string]>([
  ['a u32 of three bytes', u32, '000001'],
  ['a u32 of five bytes', u32, '0000000100'],
  ['a u64 of seven bytes', u64, '00000000000001'],
  ['a u128 of eight bytes', u128, '0000000000000001'],
  ['a boolean of 2', bool, '02'],
  ['an empty boolean', bool, ''],
  ['a unit of 0', unit, '00'],
  ['bytes that end early', bytes, '0000000309'],
  ['bytes with some left', bytes, '000000010908'],
  ['text that is not UTF-8', text, '00000001ff'],
  ['an account too short', accountId, 'a1'.repeat(19)],
  ['an account too long', accountId, 'a1'.repeat(21)],
  ['a list of more items than bytes', list(u32), 'ffffffff00000001'],
  ['a list that ends early', list(u32), '000000020000000100'],
  ['an option of 2', optional(u32), '0200000001'],
])('refuses %s', (_, codec, hex) => {
  expect(() => decodeValue(codec, fromHex(hex))).toThrow();
});

test('refuses to encode numbers that do not fit', () => {
  for (const value of [-1, 2 ** 32, 0.5, Number.NaN]) expect(() => encodeValue(u32, value)).toThrow('not a u32');
  for (const value of [-1n, 1n << 64n]) expect(() => encodeValue(u64, value)).toThrow('not a u64');
  for (const value of [-1n, 1n << 128n]) expect(() => encodeValue(u128, value)).toThrow('not a u128');
});

test('refuses to encode text that has no UTF-8', () => {
  for (const value of ['\ud800', 'a\udc00b', '\ud800\ud800', 'x\ud83d']) {
    expect(() => encodeValue(text, value)).toThrow('lone surrogate');
  }
});

test('decodes what it has encoded', () => {
  const values = fc.record({
    id: fc.nat(0xffff_ffff),
    name: fc.string({ unit: 'binary' }),
    tags: fc.array(fc.string({ unit: 'grapheme' })),
    by: fc.option(fc.constant(alice), { nil: undefined }),
    data: fc.uint8Array(),
  });
  fc.assert(
    fc.property(values, (value) => {
      expect(decodeValue(row, encodeValue(row, value))).toEqual(value);
    }),
  );
  fc.assert(
    fc.property(fc.bigInt(0n, (1n << 128n) - 1n), (n) => {
      expect(decodeValue(u128, encodeValue(u128, n))).toBe(n);
    }),
  );
  fc.assert(
    fc.property(fc.bigInt(0n, (1n << 64n) - 1n), (n) => {
      expect(decodeValue(u64, encodeValue(u64, n))).toBe(n);
    }),
  );
});

test('reads any bytes as a value that encodes to the same bytes, or refuses them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
      let value: ReturnType<typeof row.read>;
      try {
        value = decodeValue(row, noise);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        return;
      }
      expect(encodeValue(row, value)).toEqual(noise);
    }),
    { numRuns: 1000 },
  );
});
