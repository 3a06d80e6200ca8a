import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BlockStore } from './block-store.ts';
import { segmentLimits } from './segment-limits.ts';
import { appendAll, expectedAt, newDirectory, storedAt, storeOpener, testBlocks } from './testing.ts';

const openStore = storeOpener({ segmentHeights: 10 });

const filesOf = (directory: string) => readdirSync(join(directory, 'blocks')).sort();
const contents = (count: number): Uint8Array[][] =>
  Array.from({ length: count }, (_, index) => (index % 4 === 0 ? [Buffer.from(`transfer ${index}`)] : []));

test('old files go whole, and nothing of them is found any more', async () => {
  const blocks = testBlocks(contents(45));
  const directory = newDirectory();
  const store = await openStore(directory);
  await appendAll(store, blocks);
  await store.prune(28n);
  expect([store.first, store.height]).toEqual([21n, 45n]);
  expect(filesOf(directory)).toEqual(['21', '31', '41'].map((first) => `00000000000000${first}.segment`));

  for (const at of [store, await reopened(directory), await reopened(directory, { withoutIndex: true })]) {
    expect([at.first, at.height]).toEqual([21n, 45n]);
    for (const { record, txHashes } of blocks.slice(0, 20)) {
      expect([at.signedHeader(record.height), at.heightOf(record.hash)]).toEqual([undefined, undefined]);
      expect(at.findTx(txHashes[2] ?? new Uint8Array(32))).toBeUndefined();
    }
    for (const block of blocks.slice(20)) {
      const { height, hash } = block.record;
      expect(await storedAt(at, height)).toEqual(expectedAt(block));
      expect(at.heightOf(hash)).toBe(height);
      for (const txHash of block.txHashes) expect(at.findTx(txHash)?.height).toBeGreaterThanOrEqual(height);
    }
  }
});

async function reopened(directory: string, { withoutIndex = false } = {}): Promise<BlockStore> {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true });
  if (withoutIndex) rmSync(join(copy, 'index'), { recursive: true });
  return openStore(copy);
}

test('the last file stays, whatever is asked', async () => {
  const blocks = testBlocks(contents(12));
  const store = await openStore(newDirectory());
  await appendAll(store, blocks);
  await store.prune(1_000n);
  expect([store.first, store.height]).toEqual([11n, 12n]);
});

test('a store that was stopped while it deleted resumes the deletion', async () => {
  const blocks = testBlocks(contents(130));
  const directory = newDirectory();
  const store = await openStore(directory, { segmentHeights: 64 });
  await appendAll(store, blocks);
  const pruning = store.prune(130n);
  await store.close();
  await pruning;
  expect(filesOf(directory)).toHaveLength(3);
  const again = await openStore(directory, { segmentHeights: 64 });
  expect(again.first).toBe(65n);
  for (const block of blocks.slice(64)) expect(await storedAt(again, block.record.height)).toEqual(expectedAt(block));
  await again.prune(130n);
  expect([again.first, filesOf(directory)]).toEqual([129n, ['0000000000000129.segment']]);
});

test('with a limit in bytes, the log stays within it', async () => {
  const megabyte = 1_000_000;
  const limits = segmentLimits({ retainBytes: 4 * megabyte });
  const directory = newDirectory();
  const store = await openStore(directory, limits);
  const blocks = testBlocks(Array.from({ length: 40 }, (_, index) => [Buffer.alloc(300_000, index)]));
  for (const block of blocks) {
    await appendAll(store, [block]);
    await store.prune(store.floorFor(4 * megabyte));
  }
  const sizes = filesOf(directory).map((name) => statSync(join(directory, 'blocks', name)).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect([total <= 4 * megabyte, total > 2 * megabyte]).toEqual([true, true]);
  expect(store.first).toBeGreaterThan(20n);
});

test('a chain that is pruned as it grows takes no more room for its index', async () => {
  const directory = newDirectory();
  const store = await openStore(directory, { segmentHeights: 64 });
  const size = () => statSync(join(directory, 'index', 'data.mdb')).size;
  const blocks = testBlocks(contents(3_000));
  const sizes: number[] = [];
  for (let from = 0; from < blocks.length; from += 250) {
    await appendAll(store, blocks.slice(from, from + 250));
    await store.prune(store.height - 256n);
    sizes.push(size());
  }
  // Pages of what was deleted are used again: the second half of the blocks adds nothing.
  expect(sizes.at(-1)).toBeLessThanOrEqual(1.1 * (sizes[5] ?? 0));
}, 60_000);
