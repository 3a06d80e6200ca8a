import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rollupIdBytes } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';
import {
  ExtendedCommitInfoWithProofSchema,
  FilteredSequencerBlockSchema,
  SequencerBlockSchema,
} from '../gen/astria/sequencerblock/v1/block_pb.ts';
import { anyBlock, anyBytes, anyDamaged, filterBlock } from '../testing.ts';
import type { RollupEntry, SequencerBlock } from './block.ts';
import { decodeFilteredBlock, decodeSequencerBlock, encodeFilteredBlock, encodeSequencerBlock } from './block-codec.ts';
import {
  filteredBlockFromWire,
  filteredBlockToWire,
  sequencerBlockFromWire,
  sequencerBlockToWire,
} from './block-wire.ts';
import { proofToWire } from './merkle.ts';

const anyFiltered = anyBlock.map((block) =>
  filterBlock(
    block,
    block.rollups.slice(1).map(({ rollup }) => rollup),
  ),
);

const rollupToWire = ({ rollup, transactions, proof }: RollupEntry) => ({
  rollupId: { inner: rollupIdBytes(rollup) },
  transactions: [...transactions],
  proof: proofToWire(proof),
});

const commonToWire = ({ hash, header, rollups, rollupTransactionsProof, rollupIdsProof }: SequencerBlock) => ({
  blockHash: hash,
  header: { ...header, proposerAddress: header.proposer },
  rollupTransactions: rollups.map(rollupToWire),
  rollupTransactionsProof: proofToWire(rollupTransactionsProof),
  rollupIdsProof: proofToWire(rollupIdsProof),
});

test('a block is encoded as the protobuf library does it, and comes back', () => {
  fc.assert(
    fc.property(anyBlock, (block) => {
      const bytes = encodeSequencerBlock(block);
      const message = create(SequencerBlockSchema, commonToWire(block));
      expect(bytes).toEqual(toBinary(SequencerBlockSchema, message));
      expect(sequencerBlockToWire(block)).toEqual(message);
      expect(decodeSequencerBlock(bytes)).toEqual(block);
      expect(sequencerBlockFromWire(message)).toEqual(block);
    }),
    { numRuns: 30 },
  );
});

test('a filtered block is encoded as the protobuf library does it, and comes back', () => {
  fc.assert(
    fc.property(anyFiltered, (block) => {
      const bytes = encodeFilteredBlock(block);
      const allRollupIds = block.allRollupIds.map((id) => ({ inner: rollupIdBytes(id) }));
      const message = create(FilteredSequencerBlockSchema, { ...commonToWire(block), allRollupIds });
      expect(bytes).toEqual(toBinary(FilteredSequencerBlockSchema, message));
      expect(filteredBlockToWire(block)).toEqual(message);
      expect(decodeFilteredBlock(bytes)).toEqual(block);
      expect(filteredBlockFromWire(message)).toEqual(block);
    }),
    { numRuns: 30 },
  );
});

test('what a newer sequencer adds is passed over', () => {
  const [block] = fc.sample(anyFiltered, 1);
  if (block === undefined) throw new Error('a sample was asked for');
  const newer = filteredBlockToWire(block);
  newer.upgradeChangeHashes = [new Uint8Array(32)];
  newer.extendedCommitInfoWithProof = create(ExtendedCommitInfoWithProofSchema, {
    extendedCommitInfo: new Uint8Array(3),
  });
  expect(decodeFilteredBlock(toBinary(FilteredSequencerBlockSchema, newer))).toEqual(block);
});

test.each([
  ['header', { header: undefined }],
  ['block hash', { blockHash: new Uint8Array(31) }],
  ['rollup transactions proof', { rollupTransactionsProof: undefined }],
  ['rollup ids proof', { rollupIdsProof: undefined }],
  ['time', { header: { proposerAddress: new Uint8Array(20), dataHash: new Uint8Array(32) } }],
  ['data hash', { header: { time: {}, proposerAddress: new Uint8Array(20) } }],
  ['proposer address', { header: { time: {}, dataHash: new Uint8Array(32), proposerAddress: new Uint8Array(21) } }],
  ['rollup id', { rollupTransactions: [{ proof: { treeSize: 1n } }] }],
  ['rollup proof', { rollupTransactions: [{ rollupId: { inner: new Uint8Array(32) } }] }],
])('a block without a proper %s is malformed', (part, change) => {
  const [block] = fc.sample(anyBlock, 1);
  if (block === undefined) throw new Error('a sample was asked for');
  const init = { ...commonToWire(block), ...change } as ReturnType<typeof commonToWire>;
  const bytes = toBinary(SequencerBlockSchema, create(SequencerBlockSchema, init));
  expect(() => decodeSequencerBlock(bytes)).toThrow(`part ${part}`);
});

test('damaged blocks are refused and nothing else is thrown', () => {
  const valid = fc.oneof(anyBlock.map(encodeSequencerBlock), anyFiltered.map(encodeFilteredBlock));
  fc.assert(
    fc.property(fc.oneof(anyBytes(), anyDamaged(valid)), (bytes) => {
      for (const decode of [decodeSequencerBlock, decodeFilteredBlock]) {
        try {
          expect(decode(bytes).hash).toHaveLength(32);
        } catch (error) {
          if (!(error instanceof Rejected)) throw error;
        }
      }
    }),
    { numRuns: 500 },
  );
});
