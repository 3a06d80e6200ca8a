import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromHex, toHex } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';
import { toBytes } from '../testing.ts';
import { stored, storedRecord } from './stored-record.ts';

const { u64, u32, whole, text, bytes, optional, list } = stored;
const place = storedRecord('place', { height: [1, u64], entry: [2, u32] });
const letter = storedRecord('letter', {
  to: [3, text],
  at: [1, whole],
  seal: [2, optional(bytes)],
  places: [4, list(place)],
});

test('what is written is read again, in the order of the table', () => {
  const anyLetter = fc.record({
    to: fc.string({ unit: 'grapheme' }),
    at: fc.nat(2 ** 40),
    seal: fc.option(toBytes(4), { nil: undefined }),
    places: fc.array(fc.record({ height: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), entry: fc.nat() })),
  });
  fc.assert(
    fc.property(anyLetter, (each) => {
      expect(letter.decode(letter.encode(each))).toEqual(each);
    }),
  );
  const one = { to: 'a', at: 300, seal: undefined, places: [{ height: 1n, entry: 0 }] };
  expect(toHex(letter.encode(one))).toBe(`1a0161${'08ac02'}${'22020801'}`);
});

test('members that are not there have their empty value, and unknown ones are passed over', () => {
  const nothing = { to: '', at: 0, seal: undefined, places: [] };
  expect(letter.decode(new Uint8Array())).toEqual(nothing);
  expect(letter.decode(fromHex('2a0161'))).toEqual(nothing);
});

test('bytes that are no such record are refused', () => {
  expect(() => letter.decode(fromHex('1a0561'))).toThrow(Rejected);
});
