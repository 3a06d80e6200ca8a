import { parseAnyAddress, parseDenom, Rejected, Writer } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textAddress, textAsset } from '../index.ts';
import { encode } from './codec.ts';
import { lenientDecoder } from './lenient.ts';
import { text, u32, u64, u128 } from './scalars.ts';
import { list, option, record, union } from './shapes.ts';

const body = record({
  params: record({ nonce: u32, chainId: text({ maxBytes: 8 }), last: option(u64) }),
  actions: list(
    union({
      pay: { to: textAddress, amount: u128, asset: textAsset },
      say: { words: text({ maxBytes: 8 }) },
    }),
    { maxItems: 2 },
  ),
});
const decode = lenientDecoder(body);

const ALICE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';
const params = (writer: Writer) => writer.message(1, (inner) => inner.uint32(1, 7).string(2, 'c'));
const say = (words: string) => (writer: Writer) =>
  writer.message(2, (action) => action.message(2, (fields) => fields.string(1, words)));
const pay = (fill: (fields: Writer) => void) => (writer: Writer) =>
  writer.message(2, (action) => action.message(1, fill));
const bytes = (...parts: readonly ((writer: Writer) => unknown)[]) => {
  const writer = new Writer();
  for (const part of parts) part(writer);
  return writer.finish();
};
const paid = { kind: 'pay', to: parseAnyAddress(ALICE), asset: parseDenom('nria') };
const whole = (fields: Writer) =>
  void fields
    .message(1, (address) => address.string(2, ALICE))
    .message(2, () => undefined)
    .string(3, 'nria');

test('one encoding is read like any other', () => {
  const value = {
    params: { nonce: 3, chainId: 'c', last: 5n },
    actions: [
      { ...paid, kind: 'pay' as const, amount: (9n << 64n) + 1n },
      { kind: 'say' as const, words: 'gm' },
    ],
  };
  expect(decode(encode(body, value))).toEqual(value);
});

// Defect: A rollup by schemas could not have bytes that exist, pieces of messages or foreign fields were refused
// Defect: `textAddress` and `textAsset`, which definitions with `wire` need, were in no entry for authors
test.each<[string, Uint8Array, object]>([
  ['in another order', bytes(say('gm'), params), { actions: [{ kind: 'say', words: 'gm' }] }],
  [
    'with foreign fields',
    bytes(
      (writer) => writer.string(9, 'x'),
      params,
      say('gm'),
      (writer) => writer.uint32(7, 1),
    ),
    { params: { nonce: 7 } },
  ],
  [
    'in pieces that are merged',
    bytes(params, say('gm'), (writer) => writer.message(1, (inner) => inner.uint32(1, 8))),
    { params: { nonce: 8, chainId: 'c' } },
  ],
  [
    'with a field twice',
    bytes(params, (writer) =>
      writer.message(2, (action) => action.message(2, (fields) => fields.string(1, 'too long a text').string(1, 'b'))),
    ),
    { actions: [{ kind: 'say', words: 'b' }] },
  ],
  [
    'with two cases, of which the last counts',
    bytes(params, (writer) =>
      writer.message(2, (action) => action.message(1, whole).message(2, (fields) => fields.string(1, 'b'))),
    ),
    { actions: [{ kind: 'say', words: 'b' }] },
  ],
  [
    'with a case in pieces',
    bytes(params, (writer) =>
      writer.message(2, (action) =>
        action.message(1, whole).message(1, (fields) => fields.message(2, (n) => n.uint64(1, 4n))),
      ),
    ),
    { actions: [{ ...paid, amount: 4n }] },
  ],
  ['with an amount of no halves', bytes(params, pay(whole)), { actions: [{ ...paid, amount: 0n }] }],
  [
    'with halves that come apart',
    bytes(
      params,
      pay((fields) => {
        whole(fields);
        fields.message(2, (n) => n.uint64(2, 1n)).message(2, (n) => n.uint64(1, 6n));
      }),
    ),
    { actions: [{ ...paid, amount: (1n << 64n) + 6n }] },
  ],
])('a body %s', (_, given, expected) => {
  expect(decode(given)).toMatchObject(expected);
});

test.each<[string, Uint8Array, string]>([
  ['no parameters', bytes(say('gm')), 'part params'],
  ['an action of no kind', bytes(params, (writer) => writer.message(2, () => undefined)), 'part actions'],
  ['too many actions', bytes(params, say('a'), say('b'), say('c')), 'field actions, limit 2'],
  ['a long text', bytes(params, say('ninebytes')), 'field words, limit 8 bytes, got 9 bytes'],
  [
    'no recipient',
    bytes(
      params,
      pay((fields) => void fields.string(3, 'nria')),
    ),
    'part to',
  ],
  [
    'no asset',
    bytes(
      params,
      pay((fields) => void fields.message(1, (address) => address.string(2, ALICE))),
    ),
    'asset',
  ],
  [
    'an unreadable recipient',
    bytes(
      params,
      pay((fields) => void fields.message(1, (a) => a.string(2, 'no'))),
    ),
    'address',
  ],
])('a body with %s is refused', (_, given, message) => {
  expect(() => decode(given)).toThrow(Rejected);
  expect(() => decode(given)).toThrow(message);
});

// Defect: Any damaged body is refused by `Rejected` or read again from its encoding
test('any bytes are refused by Rejected, or what was read is read again from its encoding', () => {
  const damage = fc.record({ at: fc.nat(), to: fc.nat(255) });
  const start = bytes(params, pay(whole), say('gm'));
  fc.assert(
    fc.property(fc.array(damage, { maxLength: 4 }), (damages) => {
      const given = Uint8Array.from(start);
      for (const { at, to } of damages) given[at % given.length] = to;
      let read: ReturnType<typeof decode>;
      try {
        read = decode(given);
      } catch (error) {
        expect(error).toBeInstanceOf(Rejected);
        return;
      }
      expect(decode(encode(body, read))).toEqual(read);
    }),
    { numRuns: 2_000 },
  );
});
