import { type AccountId, type AssetId, Rejected, toHex } from '@switchyard/protocol';
import { Input } from '@switchyard/service/input';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode } from './codec.ts';
import { map } from './map.ts';
import { oneOf } from './one-of.ts';
import { address, asset, bool, bytes, text, u32, u64, u128 } from './scalars.ts';
import { list, option, record, union } from './shapes.ts';
import { i32, i64, i128 } from './signed.ts';
import { numbered, type ValueOf } from './type.ts';

const all = record({
  small: u32,
  big: u64,
  huge: u128,
  flag: bool,
  memo: text({ maxBytes: 64 }),
  data: bytes({ maxBytes: 32 }),
  hash: bytes({ length: 4 }),
  to: address,
  token: asset,
  numbers: list(u64, { maxItems: 5 }),
  words: list(text({ maxBytes: 8 }), { maxItems: 5 }),
  amounts: list(u128, { maxItems: 5 }),
  limit: option(u32),
  most: option(u128),
  title: option(text({ maxBytes: 8 })),
  inner: record({ x: u32, y: numbered(7, bool) }),
  choice: union({ none: {}, some: { amount: u64, items: list(u32, { maxItems: 3 }) } }),
  parts: list(record({ a: u32 }), { maxItems: 3 }),
  low: i32,
  lower: i64,
  lowest: i128,
  side: oneOf('buy', 'sell', 'Stop-1'),
  sides: list(oneOf('a', 'b'), { maxItems: 3 }),
  held: map(i64, u128, { maxItems: 4 }),
  named: map(text({ maxBytes: 8 }), record({ a: option(i32) }), { maxItems: 4 }),
  choices: list(union({ left: {}, right: { name: text({ maxBytes: 4 }) } }), { maxItems: 3 }),
});
type All = ValueOf<typeof all>;

const signedBig = (bits: bigint) => fc.bigInt({ min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n });

const hex = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((found) => toHex(found));
const big = (bits: bigint) => fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: (1n << bits) - 1n }));
const short = (maxLength: number) => fc.string({ unit: 'binary', maxLength: Math.floor(maxLength / 4) });
const mapOf = <K, V>(key: fc.Arbitrary<K>, item: fc.Arbitrary<V>) =>
  fc.array(fc.tuple(key, item), { maxLength: 4 }).map((entries) => new Map(entries));
const value: fc.Arbitrary<All> = fc.record({
  small: fc.oneof(fc.constant(0), fc.nat(2 ** 31), fc.constant(2 ** 32 - 1)),
  big: big(64n),
  huge: big(128n),
  flag: fc.boolean(),
  memo: short(64),
  data: fc.uint8Array({ maxLength: 32 }),
  hash: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  to: hex(20) as fc.Arbitrary<AccountId>,
  token: hex(32) as fc.Arbitrary<AssetId>,
  numbers: fc.array(big(64n), { maxLength: 5 }),
  words: fc.array(short(8), { maxLength: 5 }),
  amounts: fc.array(big(128n), { maxLength: 5 }),
  limit: fc.option(fc.nat(2 ** 31), { nil: undefined }),
  most: fc.option(big(128n), { nil: undefined }),
  title: fc.option(short(8), { nil: undefined }),
  inner: fc.record({ x: fc.nat(300), y: fc.boolean() }),
  choice: fc.oneof(
    fc.constant({ kind: 'none' as const }),
    fc.record({ kind: fc.constant('some' as const), amount: big(64n), items: fc.array(fc.nat(300), { maxLength: 3 }) }),
  ),
  parts: fc.array(fc.record({ a: fc.nat(300) }), { maxLength: 3 }),
  low: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  lower: signedBig(64n),
  lowest: signedBig(128n),
  side: fc.constantFrom('buy', 'sell', 'Stop-1'),
  sides: fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
  held: mapOf(signedBig(64n), big(128n)),
  named: mapOf(short(8), fc.record({ a: fc.option(fc.integer(), { nil: undefined }) })),
  choices: fc.array(
    fc.oneof(
      fc.constant({ kind: 'left' as const }),
      fc.record({ kind: fc.constant('right' as const), name: short(4) }),
    ),
    { maxLength: 3 },
  ),
});

test('decoding after encoding is identity, in bytes and in JSON', () => {
  fc.assert(
    fc.property(value, (given) => {
      expect(decode(all, encode(all, given))).toEqual(given);
      const json: unknown = JSON.parse(JSON.stringify(all.toJson(given)));
      expect(all.json(new Input(json, ''))).toEqual(given);
    }),
  );
});

test('bytes that are accepted are the encoding of what was read from them; any others are refused', () => {
  const damage = fc.record({ at: fc.nat(), to: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'remove', 'swap') });
  let accepted = 0;
  fc.assert(
    fc.property(value, fc.array(damage, { minLength: 1, maxLength: 3 }), (given, damages) => {
      const damaged = [...encode(all, given)];
      for (const { at, to, kind } of damages) {
        const place = at % damaged.length;
        if (kind === 'set') damaged[place] = to;
        else if (kind === 'insert') damaged.splice(place, 0, to);
        else if (kind === 'remove') damaged.splice(place, 1);
        else damaged.push(...damaged.splice(0, place));
      }
      const bytesGiven = Uint8Array.from(damaged);
      let found: All;
      try {
        found = decode(all, bytesGiven);
      } catch (error) {
        expect(error).toBeInstanceOf(Rejected);
        return;
      }
      accepted += 1;
      expect(encode(all, found)).toEqual(bytesGiven);
    }),
    { numRuns: 5_000 },
  );
  expect(accepted).toBeGreaterThan(50);
});

test('any bytes are refused by Rejected or are an encoding', () => {
  const small = record({ a: u32, b: option(u64), c: list(union({ x: {}, y: { z: u128 } }), { maxItems: 4 }) });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (given) => {
      try {
        expect(encode(small, decode(small, given))).toEqual(given);
      } catch (error) {
        expect(error).toBeInstanceOf(Rejected);
      }
    }),
    { numRuns: 20_000 },
  );
});

const pinned = record({
  amount: u64,
  total: u128,
  memo: text({ maxBytes: 8 }),
  limit: option(u32),
  items: list(u32, { maxItems: 2 }),
  action: union({ add: { by: u64 }, stop: {} }),
});

test('the bytes are those that protobuf has for these fields', () => {
  const toBytes = (given: ValueOf<typeof pinned>) => toHex(encode(pinned, given));
  const none = { amount: 0n, total: 0n, memo: '', items: [] };
  // Field 6, a message of 2 bytes: field 2, an empty message.
  expect(toBytes({ ...none, action: { kind: 'stop' } })).toBe('32021200');
  expect(toBytes({ ...none, action: { kind: 'add', by: 300n } })).toBe('32050a0308ac02');
  const full = { amount: 1n, total: (1n << 64n) + 2n, memo: 'hé', limit: 0, items: [0, 7] };
  expect(toBytes({ ...full, action: { kind: 'stop' } })).toBe('08011204080210011a0368c3a920002800280732021200');
});

test.each([
  [
    'a default that is written',
    '080032021200',
    'field amount, expected its one encoding, got a default that is written',
  ],
  [
    'a longer number',
    '08810032021200',
    'field amount, expected its one encoding, got number that is longer than it needs to be',
  ],
  ['a field twice', '0801080132021200', 'field action, expected a value, got nothing'],
  [
    'fields in another order',
    '320212000801',
    'expected fields that are known, each once and in the order of their numbers, got field 1',
  ],
  [
    'an unknown field',
    '320212003801',
    'expected fields that are known, each once and in the order of their numbers, got field 7',
  ],
  ['no required field', '0801', 'field action, expected a value, got nothing'],
  ['an unknown case', '32021a00', 'field action, expected one of add, stop, got field 3'],
  ['two cases', '3204120012000a00', 'field action.stop, expected one case, got field 2 after it'],
  ['an empty union', '3200', 'field action, expected one of add, stop, got nothing'],
  [
    'a field of a case',
    '32040a020800',
    'field action.add.by, expected its one encoding, got a default that is written',
  ],
  ['too many items', '28012801280132021200', 'field items[2], expected at most 2 items, got more'],
  ['a longer text', '1a0968686868686868686832021200', 'field memo, expected text of at most 8 bytes, got 9 bytes'],
  ['text that is not UTF-8', '1a01ff32021200', 'field memo, expected its one encoding, got text that is not UTF-8'],
  ['a number over 32 bits', '20808080801032021200', 'field limit, expected its one encoding, got number over 32 bits'],
  [
    'a half that is zero',
    '12040800100132021200',
    'field total, expected its one encoding, got a half that is zero and written',
  ],
  ['another wire type', '0a0032021200', 'field amount, expected its one encoding, got wire type'],
  ['an end in a field', '3205', 'field action, expected its one encoding, got truncated'],
])('%s is refused with its path', (_, given, message) => {
  const found = Uint8Array.from(given.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  expect(() => decode(pinned, found)).toThrow(`malformed: ${message}`);
});

test.each([
  ['amount', { amount: -1n }, 'amount: expected a bigint from 0 to 2^64 - 1, got -1'],
  ['memo', { memo: 'far too long' }, 'memo: expected text of at most 8 bytes, got 12 bytes'],
  ['half a character', { memo: '\ud800' }, 'memo: expected text of at most 8 bytes, got half of a surrogate pair'],
  ['items', { items: [1, -1] }, 'items[1]: expected a whole number from 0 to 2^32 - 1, got -1'],
  [
    'a case',
    { action: { kind: 'add', by: 1n << 64n } },
    'action.add.by: expected a bigint from 0 to 2^64 - 1, got 18446744073709551616',
  ],
  ['a kind', { action: { kind: 'other' } }, 'action: expected a kind of add, stop, got "other"'],
  ['nothing', { amount: undefined }, 'amount: expected a value of type u64, got nothing'],
])('a value that is none is refused with its path when it is encoded: %s', (_, part, message) => {
  const given = { amount: 0n, total: 0n, memo: '', items: [], action: { kind: 'stop' }, ...part };
  // A program without types gives such values.
  expect(() => encode(pinned, given as never)).toThrow(message);
});

test.each([
  ['two fields of one number', () => record({ a: u32, b: numbered(1, u32) }), 'field "b": number 1 is taken by "a"'],
  ['a name that is none', () => record({ 'a-b': u32 }), 'field "a-b": expected a name in lowerCamelCase'],
  [
    'an option of an option',
    () => record({ a: option(option(u32)) }),
    'field "a": an option of an option has no encoding',
  ],
  [
    'an option of a list',
    () => record({ a: option(list(u32, { maxItems: 2 })) }),
    'field "a": an option of a list has no encoding',
  ],
  [
    'a list of lists',
    () => record({ a: list(list(u32, { maxItems: 2 }), { maxItems: 2 }) }),
    'field "a": a list of a list has no encoding',
  ],
  ['a word twice', () => record({ a: oneOf('x', 'x') }), 'field "a": expected each word once'],
  ['a word that is none', () => record({ a: oneOf('x y') }), 'field "a": expected words of letters'],
  [
    'a map by records',
    () => record({ a: map(record({ b: u32 }) as never, u32, { maxItems: 1 }) }),
    'field "a": expected a key of u32, u64',
  ],
  [
    'a list of maps',
    () => record({ a: list(map(u32, u32, { maxItems: 1 }), { maxItems: 1 }) }),
    'field "a": a list of a map has no encoding',
  ],
  [
    'text without a bound',
    () => record({ a: text({} as { maxBytes: number }) }),
    'field "a": expected maxBytes from 1 to 1048576, got nothing',
  ],
  [
    'a list without a bound',
    () => record({ a: list(u32, {} as { maxItems: number }) }),
    'field "a": expected maxItems from 1 to 65536, got nothing',
  ],
  [
    'a list of such text',
    () => record({ a: list(text({ maxBytes: 0 }), { maxItems: 1 }) }),
    'field "a": expected maxBytes from 1 to 1048576, got 0',
  ],
  [
    'a number out of bounds',
    () => record({ a: numbered(2_048, u32) }),
    'field "a": expected a number from 1 to 2047, got 2048',
  ],
  ['no type', () => record({ a: 'u32' as never }), 'field "a": expected a type, such as u64'],
  ['a field named kind', () => union({ a: { kind: u32 } }), 'case "a": a field cannot have the name "kind"'],
  ['a union of nothing', () => union({}), 'expected at least one case'],
  [
    'a field of a case',
    () => union({ a: { b: text({ maxBytes: 0 }) } }),
    'case "a": field "b": expected maxBytes from 1',
  ],
])('%s is refused when it is defined', (_, define, message) => {
  expect(define).toThrow(message);
});

test('a type that nests too deeply is refused when it is defined', () => {
  let inner = record({ a: u32 });
  for (let depth = 0; depth < 14; depth++) inner = record({ a: inner }) as never;
  expect(() => record({ a: record({ b: inner }) })).toThrow('field "a": nests deeper than 16');
});

// Defect: A definition of 131 kB became values of 78 MiB
test('a definition whose values may be more than 65,536 is refused, however few bytes they take', () => {
  const pair = record({ a: u64, b: u64 });
  expect(record({ pairs: list(pair, { maxItems: 21_845 }) }).problem).toBeUndefined();
  const most = 'expected at most 65536 values in all lists together, got';
  expect(() => record({ pairs: list(pair, { maxItems: 65_536 }) })).toThrow(
    `field "pairs": ${most} 196608: lower maxItems`,
  );
  const half = list(u64, { maxItems: 40_000 });
  expect(() => union({ both: { one: half, other: half } })).toThrow(`case "both": ${most} 80001`);
  const rows = (maxItems: number) => list(record({ cells: list(u64, { maxItems: 300 }) }), { maxItems });
  expect(rows(200).problem).toBeUndefined();
  expect(rows(300).problem).toContain(`${most} 90300`);
});

// Defect: An optional field named `constructor` could not be left out
test('a field may have the name of a member that every object has, and be left out', () => {
  const type = record({ constructor: option(u32), toString: option(text({ maxBytes: 8 })), valueOf: option(bool) });
  // TypeScript sees the members of every object, too.
  const none = {} as never;
  expect(encode(type, none).length).toBe(0);
  expect(type.toJson(none)).toEqual({ constructor: undefined, toString: undefined, valueOf: undefined });
  const bytes = encode(type, { constructor: 7 } as never);
  expect(decode(type, bytes)).toEqual({ constructor: 7, toString: undefined, valueOf: undefined });
});

test('small numbers of either sign take few bytes, as sint32 and sint64 of protobuf', () => {
  const type = record({ a: i32, b: i64, c: i128 });
  const toBytes = (given: ValueOf<typeof type>) => toHex(encode(type, given));
  expect(toBytes({ a: 0, b: 0n, c: 0n })).toBe('');
  expect(toBytes({ a: -1, b: 1n, c: -1n })).toBe('080110021a020801');
  expect(toBytes({ a: -(2 ** 31), b: -(1n << 63n), c: 0n })).toBe('08ffffffff0f10ffffffffffffffffff01');
  expect(() => encode(type, { a: 2 ** 31, b: 0n, c: 0n })).toThrow('a: expected a whole number from -2^31 to 2^31 - 1');
  expect(() => encode(type, { a: 0, b: 1n << 63n, c: 0n })).toThrow(
    'b: expected a whole number from -2^63 to 2^63 - 1',
  );
});

test('the numbers of words follow their order, and the first is not written', () => {
  const type = record({ side: oneOf('buy', 'sell') });
  expect(toHex(encode(type, { side: 'buy' }))).toBe('');
  expect(toHex(encode(type, { side: 'sell' }))).toBe('0801');
  expect(() => decode(type, Uint8Array.of(8, 2))).toThrow('field side, expected one of buy, sell, got number 2');
  expect(() => encode(type, { side: 'hold' as never })).toThrow('side: expected one of buy, sell, got "hold"');
});

test('a map has one encoding, by rising keys, and each key once in JSON', () => {
  const type = record({ held: map(u32, u64, { maxItems: 2 }) });
  const held = new Map([
    [7, 1n],
    [2, 0n],
  ]);
  expect(toHex(encode(type, { held }))).toBe('0a0208020a0408071001');
  expect([...decode(type, encode(type, { held })).held.keys()]).toEqual([2, 7]);
  const swapped = Uint8Array.of(10, 4, 8, 7, 16, 1, 10, 2, 8, 2);
  expect(() => decode(type, swapped)).toThrow(
    'field held, expected keys in rising order, each once, got another order',
  );
  const twice = { held: [7, 7].map((key) => ({ key, value: '1' })) };
  expect(() => type.json(new Input(twice, ''))).toThrow('held: expected each key once');
  expect(() => encode(type, { held: new Map([...held, [8, 1n]]) })).toThrow('held: expected at most 2 items, got 3');
});

// Defect: A u64 was a number or text in JSON by its size
test('integers of 64 bits and more are text in JSON, and numbers that are exact are read too', () => {
  const type = record({ a: u64, b: i64, c: u32 });
  expect(type.toJson({ a: 1n, b: -1n, c: 1 })).toEqual({ a: '1', b: '-1', c: 1 });
  expect(type.json(new Input({ a: 1, b: '-9223372036854775808', c: 1 }, ''))).toEqual({ a: 1n, b: -(1n << 63n), c: 1 });
  expect(() => type.json(new Input({ a: 2 ** 53, b: 0, c: 1 }, ''))).toThrow(
    'a: expected a whole number from 0 to 2^64 - 1',
  );
});
