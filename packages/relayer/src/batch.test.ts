import { randomBytes } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { FakeSequencer, getValidators, testSigner } from '@switchyard/client/testing';
import {
  decodePostedMetadata,
  decodePostedRollupData,
  mostOpenedBytes,
  type RollupId,
  rollupIdFromBytes,
  toHex,
} from '@switchyard/protocol';
import { rollupNamespace, sequencerNamespace } from '@switchyard/protocol/celestia';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Batch, BatchBuilder, type BatchOptions } from './batch.ts';
import { type LeftOut, type PostableBlock, postableBlock } from './postable.ts';

const CHAIN = 'test-chain';
const rollup = (byte: number, last = byte) =>
  rollupIdFromBytes(Uint8Array.from({ length: 32 }, (_, index) => (index < 31 ? byte : last)));

/** Blocks with this many bytes for each rollup. */
async function getBlocks(sizes: readonly ReadonlyMap<RollupId, number>[], isText = false): Promise<PostableBlock[]> {
  const sequencer = new FakeSequencer(CHAIN);
  for (const each of sizes) {
    const data = [...each].map(([id, bytes]) => {
      const text = isText
        ? new TextEncoder().encode('a text like any other '.repeat(bytes / 22 + 1))
        : randomBytes(bytes);
      return [id, [text.subarray(0, bytes)]] as const;
    });
    sequencer.produceBlock(new Map(data));
  }
  const validators = getValidators([testSigner(1)]);
  return Promise.all(
    sizes.map(async (_, index) => {
      const height = BigInt(index + 1);
      const [block, signed] = [await sequencer.sequencerBlock(height), await sequencer.commit(height)];
      return postableBlock(
        { block, signed, validators, isNewSet: false },
        { sequencerChainId: CHAIN, onlyRollups: new Set(), leftOut: () => undefined },
      );
    }),
  );
}

async function getBatches(blocks: readonly PostableBlock[], options: Partial<BatchOptions> = {}): Promise<Batch[]> {
  const all: BatchOptions = { maxBytes: 1_000_000, mostBytes: 7_800_000, leftOut: () => undefined, ...options };
  const batches: Batch[] = [];
  let builder = new BatchBuilder({ height: 1n, entry: 0 }, all);
  for (let index = 0; index < blocks.length; ) {
    const block = blocks[index];
    if (block === undefined) break;
    await builder.add(block);
    if (builder.to.height > block.height) index += 1;
    if (!builder.isFull) continue;
    const { to } = builder;
    batches.push(await builder.finish());
    builder = new BatchBuilder(to, all);
  }
  if (!builder.isEmpty) batches.push(await builder.finish());
  return batches;
}

const computeSize = ({ blobs }: Batch) => blobs.reduce((sum, { data }) => sum + data.length, 0);
const metadataIn = ({ blobs }: Batch) =>
  blobs
    .filter(({ namespace }) => namespace === sequencerNamespace(CHAIN))
    .flatMap(({ data }) => decodePostedMetadata(brotliDecompressSync(data)));
const dataIn = ({ blobs }: Batch) =>
  blobs
    .filter(({ namespace }) => namespace !== sequencerNamespace(CHAIN))
    .flatMap(({ data }) => decodePostedRollupData(brotliDecompressSync(data)));

test('blocks without data cost an entry each in one blob', async () => {
  const [batch, ...others] = await getBatches(await getBlocks(Array.from({ length: 10 }, () => new Map())));
  expect(others).toEqual([]);
  expect(batch?.blobs).toHaveLength(1);
  expect(batch && metadataIn(batch).map(({ header }) => header.height)).toEqual(
    Array.from({ length: 10 }, (_, index) => BigInt(index + 1)),
  );
  expect(batch).toMatchObject({ from: { height: 1n, entry: 0 }, to: { height: 11n, entry: 0 } });
});

test('rollups whose ids begin alike share a blob', async () => {
  const [one, alike, two] = [rollup(1), rollup(1, 9), rollup(2)];
  const [batch] = await getBatches(
    await getBlocks([
      new Map([
        [one, 10],
        [alike, 10],
        [two, 10],
      ]),
    ]),
  );
  expect(batch?.blobs.map(({ namespace }) => namespace).sort()).toEqual(
    [sequencerNamespace(CHAIN), rollupNamespace(one), rollupNamespace(two)].sort(),
  );
  expect(batch && dataIn(batch).map((entry) => entry.rollup)).toEqual([one, alike, two]);
});

test('whatever the blocks, all of them are in order in batches within the limit', async () => {
  const sizes = fc.array(
    fc.dictionary(fc.constantFrom('1', '2', '3'), fc.integer({ min: 1, max: 12_000 }), { maxKeys: 3 }),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  await fc.assert(
    fc.asyncProperty(sizes, fc.boolean(), async (given, isText) => {
      const maps = given.map(
        (each) => new Map(Object.entries(each).map(([key, bytes]) => [rollup(Number(key)), bytes])),
      );
      const blocks = await getBlocks(maps, isText);
      const batches = await getBatches(blocks, { maxBytes: 20_000 });
      let next = { height: 1n, entry: 0 };
      for (const batch of batches) {
        expect(batch.from).toEqual(next);
        next = batch.to;
        expect(computeSize(batch)).toBeLessThanOrEqual(20_000);
      }
      expect(next).toEqual({ height: BigInt(blocks.length + 1), entry: 0 });
      const posted = batches.flatMap(dataIn).map((entry) => `${entry.rollup} ${toHex(entry.blockHash)}`);
      const expected = blocks.flatMap(({ hash, rollups }) => rollups.map((part) => `${part?.rollup} ${toHex(hash)}`));
      for (const byte of [1, 2, 3]) {
        const ofRollup = (text: string) => text.startsWith(rollup(byte));
        expect(posted.filter(ofRollup)).toEqual(expected.filter(ofRollup));
      }
    }),
    { numRuns: 40 },
  );
});

test('a block that is too large is divided by rollup, each part with its metadata', async () => {
  const sizes = new Map([1, 2, 3, 4, 5].map((byte) => [rollup(byte), 8_000] as const));
  const [before, large, after] = [new Map([[rollup(1), 50]]), sizes, new Map([[rollup(1), 50]])];
  const batches = await getBatches(await getBlocks([before, large, after]), { maxBytes: 20_000 });
  expect(batches.map(({ to }) => [to.height, to.entry])).toEqual([
    [2n, 0],
    [2n, 2],
    [2n, 4],
    [4n, 0],
  ]);
  expect(batches.map((batch) => metadataIn(batch).map(({ header }) => header.height))).toEqual([
    [1n],
    [2n],
    [2n],
    [2n, 3n],
  ]);
  expect(batches.map(({ hash }) => hash === undefined)).toEqual([false, true, true, false]);
});

test('the data of one rollup may exceed the limit, and not what the layer takes', async () => {
  const left: unknown[] = [];
  const leftOut = (id: RollupId, height: bigint, reason: LeftOut) => void left.push([id, height, reason]);
  const blocks = await getBlocks([
    new Map([
      [rollup(1), 30_000],
      [rollup(2), 60_000],
      [rollup(3), 10],
    ]),
  ]);
  const batches = await getBatches(blocks, { maxBytes: 20_000, mostBytes: 50_000, leftOut });
  expect(batches.flatMap(dataIn).map((entry) => entry.rollup)).toEqual([rollup(1), rollup(3)]);
  expect(left).toEqual([[rollup(2), 1n, 'too-large']]);
  expect(batches.at(-1)?.to).toEqual({ height: 2n, entry: 0 });
});

test('data that compresses to almost nothing is posted so that readers do not take it for a bomb', async () => {
  const sequencer = new FakeSequencer(CHAIN);
  for (let height = 0; height < 40; height += 1) {
    sequencer.produceBlock(new Map([[rollup(1), [new Uint8Array(1_000_000)]]]));
  }
  const blocks = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const [block, signed] = [
        await sequencer.sequencerBlock(BigInt(index + 1)),
        await sequencer.commit(BigInt(index + 1)),
      ];
      return postableBlock(
        { block, signed, validators: getValidators([testSigner(1)]), isNewSet: false },
        { sequencerChainId: CHAIN, onlyRollups: new Set(), leftOut: () => undefined },
      );
    }),
  );
  const batches = await getBatches(blocks);
  expect(batches.map(({ to }) => to.height)).toEqual([34n, 41n]);
  for (const { blobs } of batches) {
    for (const { data } of blobs) {
      brotliDecompressSync(data, { maxOutputLength: mostOpenedBytes(data.length) });
      expect(data.length).toBeLessThan(400_000);
    }
  }
  // With the few bytes around each.
  const lengths = batches.flatMap(dataIn).map(({ transactions }) => transactions.map(({ length }) => length));
  expect(lengths).toEqual(Array.from({ length: 40 }, () => [1_000_004]));
});

test('a batch of texts is filled by what they compress to', async () => {
  const blocks = await getBlocks(
    Array.from({ length: 50 }, () => new Map([[rollup(1), 10_000]])),
    true,
  );
  const batches = await getBatches(blocks, { maxBytes: 40_000 });
  expect(batches.length).toBeLessThan(4);
  expect(batches.reduce((sum, { rollupBytes }) => sum + rollupBytes, 0)).toBeGreaterThanOrEqual(500_000);
});
