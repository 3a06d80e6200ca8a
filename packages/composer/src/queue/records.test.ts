import { toHex, txHashBytes, txHashFromBytes, txHashOf } from '@switchyard/protocol';
import { anyRollupId, toBytes } from '@switchyard/protocol/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHAT, GAME, groupOfTexts, makeItem } from '../testing/builders.ts';
import { GROUPS, getGroup } from './items.ts';
import type { Bundle, OutcomeRecord } from './records.ts';
import {
  decodeBundle,
  decodeChunk,
  decodeOutcome,
  decodeRanges,
  encodeBundle,
  encodeChunk,
  encodeOutcome,
  encodeRanges,
} from './records.ts';

const anyNumber = fc.nat(2 ** 40);
const anyRanges = fc.array(fc.record({ from: anyNumber, to: anyNumber }), { maxLength: 5 });
const anyHash = toBytes(32).map(txHashFromBytes);
const anyItem = fc
  .record({ rollup: fc.constantFrom(CHAT, GAME), data: fc.uint8Array({ minLength: 1, maxLength: 300 }) })
  .map((item) => ({ ...item, hash: txHashOf(item.data) }));
const anyOutcome: fc.Arbitrary<OutcomeRecord['outcome']> = fc.oneof(
  fc.record({
    kind: fc.constant('sequenced' as const),
    height: fc.bigInt({ min: 0n, max: 2n ** 63n }),
    transaction: anyHash,
  }),
  fc.record({ kind: fc.constant('refused' as const), reason: fc.string({ unit: 'grapheme' }) }),
);

test('what is written is read again', () => {
  fc.assert(
    fc.property(anyNumber, fc.array(anyItem), (first, items) => {
      expect(decodeChunk(first, encodeChunk({ first, items }))).toEqual({ first, items });
    }),
  );
  const anyGroup = fc.record({
    entries: fc.array(anyItem, { minLength: 1, maxLength: 5 }),
    keyed: fc.option(anyHash, { nil: undefined }),
  });
  fc.assert(
    fc.property(anyNumber, fc.array(fc.oneof(anyItem, anyGroup)), (first, units) => {
      const items = units.flatMap((each) =>
        'entries' in each ? getGroup(each.entries, () => each.keyed).items : [each],
      );
      expect(decodeChunk(first, encodeChunk({ first, items }))).toEqual({ first, items });
    }),
  );
  fc.assert(
    fc.property(anyRanges, (ranges) => {
      expect(decodeRanges(encodeRanges(ranges))).toEqual(ranges);
    }),
  );
  const anyBundle: fc.Arbitrary<Bundle> = fc.record({
    nonce: fc.nat(),
    payer: fc.string(),
    candidates: fc.array(fc.record({ hash: anyHash, ranges: anyRanges })),
  });
  fc.assert(
    fc.property(anyBundle, (bundle) => {
      expect(decodeBundle(bundle.nonce, encodeBundle(bundle))).toEqual(bundle);
    }),
  );
  const anyRecord: fc.Arbitrary<OutcomeRecord> = fc.record({
    id: fc.nat(),
    space: fc.oneof(anyRollupId, fc.constant(GROUPS)),
    outcome: anyOutcome,
    hashes: fc.nat(5).chain((count) => toBytes(32 * count)),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(anyRecord, (record) => {
      expect(decodeOutcome(record.id, encodeOutcome(record))).toEqual(record);
    }),
  );
});

test('the encodings are those of queues that are on disk already', () => {
  const id = (rollup: string): string => `0a20${rollup}`;
  const hash = txHashOf(Uint8Array.of(1));
  const items = [makeItem('a'), makeItem('bc'), makeItem('d', GAME)];
  expect(toHex(encodeChunk({ first: 1, items }))).toBe(`${id(CHAT)}120161${'12026263'}${id(GAME)}120164`);
  const group = groupOfTexts('a', 'bc');
  expect(toHex(encodeChunk({ first: 1, items: [...group.items, makeItem('d', GAME)] }))).toBe(
    `2002${id(CHAT)}120161${id(GAME)}12026263120164`,
  );
  expect(toHex(encodeRanges([{ from: 1, to: 300 }]))).toBe('12050801' + '10ac02');
  expect(toHex(encodeBundle({ nonce: 5, payer: 'me', candidates: [{ hash, ranges: [{ from: 1, to: 2 }] }] }))).toBe(
    `12026d650a280a20${hash}120408011002`,
  );
  const sequenced = { kind: 'sequenced', height: 9n, transaction: hash } as const;
  expect(toHex(encodeOutcome({ id: 1, space: CHAT, outcome: sequenced, hashes: txHashBytes(hash), at: 3 }))).toBe(
    `08091220${hash}2220${hash}2a20${CHAT}3003`,
  );
  const refused = { kind: 'refused', reason: 'no' } as const;
  expect(toHex(encodeOutcome({ id: 1, space: CHAT, outcome: refused, hashes: new Uint8Array(), at: 4 }))).toBe(
    `1a026e6f2a20${CHAT}3004`,
  );
  expect(toHex(encodeOutcome({ id: 1, space: GROUPS, outcome: refused, hashes: new Uint8Array(), at: 5 }))).toBe(
    '1a026e6f3005',
  );
});

test('data without a rollup is a broken chunk', () => {
  expect(() => decodeChunk(3, Uint8Array.of(0x12, 1, 97))).toThrow("the journal's chunk 3 has data of no rollup");
});

test('half a group is a broken chunk', () => {
  const whole = encodeChunk({ first: 3, items: groupOfTexts('a', 'b').items });
  expect(() => decodeChunk(3, whole.subarray(0, 39))).toThrow("the journal's chunk 3 has 1 of 2 entries of a group");
});
