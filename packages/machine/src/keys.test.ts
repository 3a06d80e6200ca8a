import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountId, assetId, pair, text, u32Key, u64Key } from './keys.ts';
import { alice, bob, NRIA } from './testing.ts';

test('writes keys in these characters', () => {
  expect(accountId.toKey(alice)).toBe('a1'.repeat(20));
  expect(u32Key.toKey(255)).toBe('000000ff');
  expect(u64Key.toKey(255n)).toBe('00000000000000ff');
  expect(text.toKey('transfer/channel-0/utia é%')).toBe('transfer%2Fchannel-0%2Futia%20%C3%A9%25');
  expect(pair(accountId, u32Key).toKey([alice, 1])).toBe(`${'a1'.repeat(20)}/00000001`);
  expect(pair(pair(text, u32Key), text).toKey([['a/b', 1], 'c'])).toBe('a%2Fb/00000001/c');
});

test('reads keys back', () => {
  const nested = pair(pair(text, u32Key), pair(accountId, assetId));
  const value = [
    ['a/b', 7],
    [bob, NRIA],
  ] as const;
  expect(nested.fromKey(nested.toKey(value))).toEqual(value);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      expect(text.fromKey(text.toKey(value))).toBe(value);
    }),
  );
});

test('sorts numbers as keys', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, (1n << 64n) - 1n), fc.bigInt(0n, (1n << 64n) - 1n), (a, b) => {
      expect(u64Key.toKey(a) < u64Key.toKey(b)).toBe(a < b);
      expect(u64Key.fromKey(u64Key.toKey(a))).toBe(a);
    }),
  );
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), fc.nat(0xffff_ffff), (a, b) => {
      expect(u32Key.toKey(a) < u32Key.toKey(b)).toBe(a < b);
      expect(u32Key.fromKey(u32Key.toKey(a))).toBe(a);
    }),
  );
});

test.each([
  ['an id in upper case', () => accountId.fromKey('A1'.repeat(20))],
  ['an id too short', () => accountId.fromKey('a1'.repeat(19))],
  ['a number too short', () => u32Key.fromKey('ff')],
  ['a number in upper case', () => u64Key.fromKey('00000000000000FF')],
  ['text that is not escaped', () => text.fromKey('a b')],
  ['text escaped without need', () => text.fromKey('%61')],
  ['a pair of one', () => pair(text, text).fromKey('a')],
  ['a pair of three', () => pair(text, text).fromKey('a/b/c')],
])('refuses to read %s', (_, read) => {
  expect(read).toThrow();
});

test.each([
  ['-1', () => u32Key.toKey(-1)],
  ['2^32', () => u32Key.toKey(2 ** 32)],
  ['1.5', () => u32Key.toKey(1.5)],
  ['-1n', () => u64Key.toKey(-1n)],
  ['2^64', () => u64Key.toKey(1n << 64n)],
  ['a lone surrogate', () => text.toKey('\ud800')],
])('refuses to write %s', (_, write) => {
  expect(write).toThrow();
});
