import { createMemoryStore } from '@switchyard/machine';
import { type BlockHash, blockHashFromBytes, rollupContentHash, sha256 } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getBlock, putBlock, type StoredBlock } from './stored-blocks.ts';

const hash = (text: string): BlockHash => blockHashFromBytes(sha256(Buffer.from(text)));

interface Content {
  readonly executed: number;
  readonly refused: number;
  readonly deposits: number;
  readonly skippedDeposits: number;
  /** Whether the state differs from before; that of a block that holds nothing does not. */
  readonly changesState: boolean;
}

const EMPTY: Content = { executed: 0, refused: 0, deposits: 0, skippedDeposits: 0, changesState: false };

function getChain(contents: readonly Content[]): StoredBlock[] {
  let parentHash = hash('before');
  let stateRoot = hash('first state');
  return contents.map(({ changesState, ...counts }, index) => {
    if (changesState) stateRoot = hash(`state ${index}`);
    const time = { seconds: BigInt(1_000 + 2 * index), nanos: index * 7 };
    const block = {
      hash: hash(`block ${index}`),
      parentHash,
      ...time,
      sequencerBlockHash: hash(`sequencer ${index}`),
      contentHash: blockHashFromBytes(
        rollupContentHash(parentHash, counts.executed > 0 ? [Buffer.from('tx')] : [], [], time),
      ),
      stateRoot,
      receiptsHash: hash(`receipts ${counts.executed + counts.refused}`),
      ...counts,
    };
    parentHash = block.hash;
    return block;
  });
}

test('any block reads as it was put', () => {
  const count = fc.integer({ min: 0, max: 2 });
  const busy = fc.record({
    executed: count,
    refused: count,
    deposits: count,
    skippedDeposits: count,
    changesState: fc.boolean(),
  });
  const contents = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(EMPTY) }, busy), { maxLength: 30 });
  fc.assert(
    fc.property(contents, (each) => {
      const blocks = getChain(each);
      const state = createMemoryStore().begin();
      for (const [number, block] of blocks.entries()) putBlock(state, BigInt(number), block);
      expect(blocks.map((_, number) => getBlock(state, BigInt(number)))).toEqual(blocks);
      expect(getBlock(state, BigInt(blocks.length))).toBeUndefined();
    }),
  );
});

test('a block that holds nothing takes 80 bytes, and the first after one with transactions is whole', () => {
  const blocks = getChain([EMPTY, EMPTY, EMPTY, { ...EMPTY, executed: 1, changesState: true }, EMPTY, EMPTY]);
  const state = createMemoryStore().begin();
  for (const [number, block] of blocks.entries()) putBlock(state, BigInt(number), block);
  const lengths = blocks.map((_, number) => state.get(`index/blocks/000000000000000${number}`)?.length);
  expect(lengths).toEqual([220, 80, 80, 220, 220, 80]);
});
