import { JsonRpcError } from '@switchyard/service';
import { bool, Input, list, type Read } from '@switchyard/service/input';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logFilter } from '../rpc/log-query.ts';
import {
  address,
  blockNumber,
  blockReference,
  data,
  getObject,
  hash,
  index,
  mapOf,
  quantity,
  quantity64,
  readParams,
  slot,
  text,
} from './params.ts';

const ADDRESS = `0x${'Ab'.repeat(20)}`;
const HASH = `0x${'Cd'.repeat(32)}`;

test('reads positional parameters, and leaves out optional ones that are absent or null', () => {
  expect(readParams([ADDRESS, 'safe'], [address], [blockReference])).toEqual([ADDRESS.toLowerCase(), 'safe']);
  expect(readParams([ADDRESS], [address], [blockReference])).toEqual([ADDRESS.toLowerCase(), undefined]);
  expect(readParams([ADDRESS, null], [address], [blockReference])).toEqual([ADDRESS.toLowerCase(), undefined]);
  expect(readParams(undefined, [])).toEqual([]);
});

test.each([
  ['an object', { address: ADDRESS }, 'non-array args'],
  ['too many', [ADDRESS, 'latest', 1], 'too many arguments, want at most 2'],
  ['too few', [], 'missing value for required argument 0'],
  ['null for what is required', [null], 'missing value for required argument 0'],
  ['a number', [5], 'invalid argument 0: expected an address of 20 bytes in hex with 0x, got 5'],
  ['no prefix', ['ab'.repeat(20)], /^invalid argument 0: expected an address/],
  ['a byte too few', [ADDRESS.slice(0, -2)], /^invalid argument 0: expected an address/],
  ['an unknown tag', [ADDRESS, 'newest'], 'invalid argument 1: expected a number in hex with 0x, got "newest"'],
  ['a leading zero', [ADDRESS, '0x01'], 'invalid argument 1: hex number with leading zero digits: "0x01"'],
  ['too many bits', [ADDRESS, `0x1${'0'.repeat(16)}`], /> 64 bits/],
])('refuses %s with -32602', (_, params, message) => {
  const failed = (() => {
    try {
      return readParams(params, [address], [blockReference]);
    } catch (error) {
      return error;
    }
  })();
  expect(failed).toBeInstanceOf(JsonRpcError);
  expect(failed).toMatchObject({ code: -32_602, message: expect.stringMatching(message) });
});

test.each<[string, Read<unknown>, unknown, unknown]>([
  ['a hash in capitals', hash, HASH, HASH.toLowerCase()],
  ['no bytes', data, '0x', '0x'],
  ['zero', quantity, '0x0', 0n],
  ['256 bits', quantity, `0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ['a JSON number', quantity, 7, 7n],
  ['64 bits', quantity64, '0xffffffffffffffff', 2n ** 64n - 1n],
  ['a position', index, '0x3', 3],
  ['a position beyond any list', index, `0x${'f'.repeat(64)}`, 0xffff_ffff],
  ['a short slot', slot, '0x1', `0x${'0'.repeat(63)}1`],
  ['a slot without prefix', slot, 'ff', `0x${'0'.repeat(62)}ff`],
  ['a number of a block', blockReference, '0x10', 16n],
  ['a hash of a block', blockReference, HASH, { hash: HASH.toLowerCase(), requireCanonical: false }],
  ['a tag', blockNumber, 'finalized', 'finalized'],
  [
    'a block by hash (EIP-1898)',
    blockReference,
    { blockHash: HASH, requireCanonical: true },
    { hash: HASH.toLowerCase(), requireCanonical: true },
  ],
  ['a block by number (EIP-1898)', blockReference, { blockNumber: '0x2' }, 2n],
  ['an object without what is null', getObject({ a: bool, b: quantity }), { a: true, b: null, c: 1 }, { a: true }],
  ['a map', mapOf(address, quantity, 1), { [ADDRESS]: '0x1' }, new Map([[ADDRESS.toLowerCase(), 1n]])],
])('reads %s', (_, parse, value, expected) => {
  expect(parse(new Input(value, ''))).toEqual(expected);
});

test.each<[string, Read<unknown>, unknown, RegExp]>([
  ['an odd number of digits', data, '0x123', /expected bytes in hex/],
  ['a negative number', quantity, -1, /expected a number/],
  ['a fraction', quantity, 1.5, /expected a number/],
  ['an inexact number', quantity, 2 ** 60, /expected a number/],
  ['an empty number', quantity, '0x', /expected a number/],
  ['more than 256 bits', quantity, `0x1${'0'.repeat(64)}`, /> 256 bits/],
  ['text for a flag', bool, 'true', /expected true or false/],
  ['a long text', text(3), 'four', /at most 3 characters, got 4/],
  ['a long list', list(bool, 1), [true, true], /a list of at most 1, got a list of 2/],
  ['a wrong value in a list', list(bool, 2), [true, 1], /^\[1\]: expected true or false, got 1/],
  ['a list for an object', getObject({}), [], /expected an object, got an empty list/],
  ['a member that is wrong', getObject({ value: quantity }), { value: 'x' }, /value: expected a number in hex/],
  ['a map with too many members', mapOf(text(9), bool, 1), { a: true, b: true }, /at most 1 members/],
  ['both ways to name a block', blockReference, { blockHash: HASH, blockNumber: '0x1' }, /cannot specify both/],
  ['no way to name a block', blockReference, {}, /must specify either/],
  ['a slot that is too long', slot, `0x${'0'.repeat(65)}`, /^storage key too long \(want at most 32 bytes\): "0x0+"$/],
  ['a slot that is no hex', slot, '0xasdf', /^invalid hex in storage key: "0xasdf"$/],
])('refuses %s', (_, parse, value, message) => {
  expect(() => parse(new Input(value, ''))).toThrow(message);
});

test('does not repeat long values or what breaks a line', () => {
  expect(() => hash(new Input('x'.repeat(5_000_000), ''))).toThrow(/^.{0,150}$/);
  expect(() => hash(new Input('0x\n', ''))).toThrow(/^[^\n]*$/);
});

test('reads filters for logs as wallets write them', () => {
  expect(logFilter(new Input({}, ''))).toMatchObject({ addresses: [], topics: [], fromBlock: undefined });
  expect(
    logFilter(new Input({ address: ADDRESS, topics: [null, HASH, [HASH, HASH], [null, HASH], []].slice(0, 4) }, '')),
  ).toMatchObject({
    addresses: [ADDRESS.toLowerCase()],
    topics: [[], [HASH.toLowerCase()], [HASH.toLowerCase(), HASH.toLowerCase()], []],
  });
  expect(() => logFilter(new Input({ topics: [null, null, null, null, null] }, ''))).toThrow('exceed max topics');
  expect(() => logFilter(new Input({ blockHash: HASH, fromBlock: '0x1' }, ''))).toThrow(
    'cannot specify both BlockHash and FromBlock',
  );
});

test('no input makes a parser throw anything but its own error', () => {
  const parsers = [
    address,
    hash,
    data,
    slot,
    quantity,
    quantity64,
    index,
    bool,
    blockNumber,
    blockReference,
    logFilter,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...parsers), fc.jsonValue(), (parse, value) => {
      try {
        readParams([value], [parse], [parse]);
      } catch (error) {
        expect(error).toBeInstanceOf(JsonRpcError);
      }
    }),
  );
});
