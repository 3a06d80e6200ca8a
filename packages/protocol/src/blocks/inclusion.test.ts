import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyRollupData, anyRollupId, filterBlock, toBytes } from '../testing.ts';
import { buildSequencerBlock, commitRollupData } from './block.ts';
import { proveInclusion, proveRollupData, verifyInclusion, verifyRollupData } from './inclusion.ts';

const time = { seconds: 1n, nanos: 0 };
const getBlock = (data: Parameters<typeof commitRollupData>[0], more: readonly Uint8Array[]) => {
  const committed = commitRollupData(data);
  const items = [committed.rollupTransactionsRoot, committed.rollupIdsRoot, ...more];
  const parts = { hash: new Uint8Array(32), chainId: 'chain', height: 7n, time, proposer: new Uint8Array(20) };
  return buildSequencerBlock({ ...parts, items, committed });
};

test('every piece of data in a block has a proof that holds, and one for nothing else', () => {
  fc.assert(
    fc.property(anyRollupData, fc.array(toBytes(40), { maxLength: 4 }), (data, more) => {
      const block = getBlock(data, more);
      for (const [rollup, pieces] of data) {
        for (const [position, piece] of pieces.entries()) {
          const proof = proveInclusion(filterBlock(block, [rollup]), rollup, position);
          expect(proof.data).toEqual(piece);
          expect(verifyInclusion(proof, block.header.dataHash)).toBe(true);
          const longer = Uint8Array.from([...piece, 0]);
          expect(verifyInclusion({ ...proof, data: longer }, block.header.dataHash)).toBe(false);
          expect(verifyInclusion({ ...proof, entryProof: block.rollupIdsProof }, block.header.dataHash)).toBe(false);
          expect(verifyInclusion(proof, new Uint8Array(32))).toBe(false);
        }
        expect(() => proveInclusion(filterBlock(block, [rollup]), rollup, pieces.length)).toThrow('not in the block');
      }
    }),
    { numRuns: 50 },
  );
});

test('the root of all data of a rollup has a proof, and so has that there is none', () => {
  fc.assert(
    fc.property(anyRollupData, anyRollupId, fc.array(toBytes(40), { maxLength: 4 }), (data, stranger, more) => {
      fc.pre(!data.has(stranger));
      const block = getBlock(data, more);
      const { dataHash } = block.header;
      const absent = proveRollupData(filterBlock(block, [stranger]), stranger);
      expect([absent.dataRoot, verifyRollupData(absent, dataHash)]).toEqual([undefined, true]);
      for (const rollup of data.keys()) {
        const proof = proveRollupData(filterBlock(block, [rollup]), rollup);
        expect(verifyRollupData(proof, dataHash)).toBe(true);
        expect(verifyRollupData({ ...proof, rollup: stranger }, dataHash)).toBe(false);
        // Its list has this rollup, or differs.
        expect(verifyRollupData({ ...absent, rollup }, dataHash)).toBe(false);
        const others = [...data.keys()].filter((each) => each !== rollup);
        expect(verifyRollupData({ ...absent, rollup, rollups: others } as never, dataHash)).toBe(false);
        const shouted = block.rollups.map((each) => each.rollup.toUpperCase());
        const ids = proveRollupData({ ...filterBlock(block, []), allRollupIds: [] }, rollup);
        expect(verifyRollupData({ ...ids, rollups: shouted } as never, dataHash)).toBe(false);
        expect(() => proveRollupData(filterBlock(block, []), rollup)).toThrow('data of the rollup was left out');
      }
    }),
    { numRuns: 50 },
  );
});
