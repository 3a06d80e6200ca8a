import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rollupIdFromName } from '../accounts/ids.ts';
import { buildSequencerBlock, commitRollupData, type SequencerBlock, verifyFilteredBlock } from '../blocks/block.ts';
import { Reader } from '../bytes/reader.ts';
import { Writer } from '../bytes/writer.ts';
import { createValidator } from '../comet/commit.ts';
import { Rejected } from '../errors.ts';
import { alice, anyBlock, anyDamaged, bob, signedHeader } from '../testing.ts';
import { blockFromPosted, type PostedRollupData, postedMetadata, postedRollupData } from './entries.ts';
import { decodePostedMetadata, decodePostedRollupData, encodePostedMetadata, encodePostedRollupData } from './lists.ts';

const signed = signedHeader(7n, [alice, bob]);
const validators = [alice, bob].map(({ publicKey }) => createValidator(publicKey, 10n));

const joined = (parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

/** Rollups `one`, `two` and `three`, of which `two` has the most. */
function getBlock(): SequencerBlock {
  const data = new Map([
    [rollupIdFromName('one'), [Uint8Array.of(1), Uint8Array.of(2)]],
    [rollupIdFromName('two'), [new Uint8Array(700), Uint8Array.of(), Uint8Array.of(9)]],
    [rollupIdFromName('three'), [Uint8Array.of(3)]],
  ]);
  const committed = commitRollupData(data);
  return buildSequencerBlock({
    ...{ hash: new Uint8Array(32).fill(5), chainId: 'chain', height: 7n, proposer: new Uint8Array(20) },
    ...{ time: { seconds: 1n, nanos: 2 }, committed },
    items: [committed.rollupTransactionsRoot, committed.rollupIdsRoot, Uint8Array.of(4)],
  });
}

describe('a posted block', () => {
  test('is what it was, from lists that were joined', () => {
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 4 }), (blocks) => {
        const metadata = blocks.map((block, index) =>
          index === 0 ? postedMetadata(block, signed, validators) : postedMetadata(block, signed),
        );
        expect(decodePostedMetadata(joined(metadata.map(encodePostedMetadata)))).toEqual(metadata);
        const data = blocks.flatMap(postedRollupData);
        expect(decodePostedRollupData(joined(data.map(encodePostedRollupData)))).toEqual(data);
      }),
    );
  });

  test('is proven for each rollup, and for one that has nothing in it', () => {
    const block = getBlock();
    const metadata = postedMetadata(block, signed);
    for (const data of postedRollupData(block)) {
      expect(data.blockHash).toEqual(metadata.hash);
      verifyFilteredBlock(blockFromPosted(metadata, data), [data.rollup]);
    }
    verifyFilteredBlock(blockFromPosted(metadata, undefined), [rollupIdFromName('four')]);
  });

  test('without the data of a rollup that it lists is not an empty one', () => {
    const metadata = postedMetadata(getBlock(), signed);
    expect(() => verifyFilteredBlock(blockFromPosted(metadata, undefined), [rollupIdFromName('two')])).toThrow(
      Rejected,
    );
  });

  test.each<[string, (data: PostedRollupData, other: PostedRollupData) => PostedRollupData]>([
    ['a transaction less', (data) => ({ ...data, transactions: data.transactions.slice(1) })],
    ['transactions in another order', (data) => ({ ...data, transactions: [...data.transactions].reverse() })],
    ['the data of another rollup under its id', (data, other) => ({ ...other, rollup: data.rollup })],
    ['the proof of another rollup', (data, other) => ({ ...data, proof: other.proof })],
  ])('with %s is refused', (_, forge) => {
    const block = getBlock();
    const all = postedRollupData(block);
    const [own, other] = ['two', 'three'].map((name) => all.find(({ rollup }) => rollup === rollupIdFromName(name)));
    if (own === undefined || other === undefined) throw new Error('the block has both');
    const forged = blockFromPosted(postedMetadata(block, signed), forge(own, other));
    expect(() => verifyFilteredBlock(forged, [own.rollup])).toThrow(Rejected);
  });
});

describe('lists', () => {
  test('damaged ones are refused or read as something else, never with another error', () => {
    const lists = anyBlock.map((block) => encodePostedMetadata(postedMetadata(block, signed, validators)));
    fc.assert(
      fc.property(anyDamaged(lists), (bytes) => {
        for (const decode of [decodePostedMetadata, decodePostedRollupData])
          try {
            decode(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(Rejected);
          }
      }),
    );
  });

  test('one entry that is malformed makes the whole list so', () => {
    const [data] = postedRollupData(getBlock());
    if (data === undefined) throw new Error('the block has rollups');
    const bad = new Writer().message(1, (entry) => entry.bytes(1, new Uint8Array(31))).finish();
    expect(() => decodePostedRollupData(joined([encodePostedRollupData(data), bad]))).toThrow(Rejected);
  });

  /** Source: the field table of `astria.sequencerblock.v1`. */
  test('have the field numbers of the reference, and ours where its readers pass over them', () => {
    const getFields = (list: Uint8Array) => {
      const reader = new Reader(list, 'list');
      expect(reader.next() && reader.field).toBe(1);
      const entry = reader.message('entry');
      const fields: number[] = [];
      while (entry.next()) {
        if (fields.at(-1) !== entry.field) fields.push(entry.field);
        entry.skip();
      }
      return fields;
    };
    const block = getBlock();
    expect(getFields(encodePostedMetadata(postedMetadata(block, signed, validators)))).toEqual([
      1, 2, 3, 4, 5, 1_001, 1_002,
    ]);
    const [data] = postedRollupData(block);
    expect(data && getFields(encodePostedRollupData(data))).toEqual([1, 2, 3, 4]);
  });

  test('of the reference have neither signed header nor validators', () => {
    const metadata = { ...postedMetadata(getBlock(), signed), signed: undefined };
    expect(decodePostedMetadata(encodePostedMetadata(metadata))).toEqual([metadata]);
  });
});
