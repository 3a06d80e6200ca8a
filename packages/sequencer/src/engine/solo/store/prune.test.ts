import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { StoreFile } from '@switchyard/storage';
import { expect, test } from 'vitest';
import type { BlockStore } from './block-store.ts';
import { appendAll, expectedAt, newDirectory, storedAt, storeOpener, testBlocks, usedBytes } from './testing.ts';

const openStore = storeOpener();

const contents = (count: number): Uint8Array[][] =>
  Array.from({ length: count }, (_, index) => (index % 40 === 0 ? [Buffer.from(`transfer ${index}`)] : []));

function reopened(directory: string): BlockStore {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true });
  return openStore(copy);
}

test('old blocks go some at a time, and nothing of them is found any more', async () => {
  const blocks = testBlocks(contents(150));
  const directory = newDirectory();
  const store = openStore(directory);
  for (const block of blocks) {
    await store.append([block]);
    if (store.height > 60n) store.prune(store.height - 59n);
    // Every step leaves kept blocks unchanged.
    const oldest = blocks[Number(store.first) - 1];
    if (oldest !== undefined) expect(storedAt(store, store.first)).toEqual(expectedAt(oldest));
  }
  expect([store.first, store.height]).toEqual([81n, 150n]);
  for (const at of [store, reopened(directory)]) {
    expect([at.first, at.height]).toEqual([81n, 150n]);
    for (const { record, txHashes } of blocks.slice(0, 80)) {
      expect([at.signedHeader(record.height), at.findHeight(record.hash)]).toEqual([undefined, undefined]);
      const [, , transfer] = txHashes;
      if (transfer !== undefined) expect(at.findTx(transfer)).toBeUndefined();
    }
    for (const block of blocks.slice(80)) {
      const { height, hash } = block.record;
      expect(storedAt(at, height)).toEqual(expectedAt(block));
      expect(at.findHeight(hash)).toBe(height);
      for (const txHash of block.txHashes) expect(at.findTx(txHash)?.height).toBeGreaterThanOrEqual(height);
    }
  }
});

test('blocks are out of reach before they are deleted', async () => {
  const blocks = testBlocks(contents(40));
  const store = openStore(newDirectory());
  await appendAll(store, blocks.slice(0, 39));
  store.prune(30n);
  const appending = store.append(blocks.slice(39));
  expect([store.first, store.signedHeader(16n)]).toEqual([17n, undefined]);
  await appending;
  expect(store.signedHeader(17n)).toEqual(blocks[16]?.record.signedHeader);
});

test('of the file nothing is left but what is kept, and the base and the row that this is restored from', async () => {
  const directory = newDirectory();
  const store = openStore(directory);
  await appendAll(store, testBlocks(contents(150)));
  store.prune(130n);
  for (let round = 0; round < 9; round += 1) await store.append([]);
  expect(store.first).toBe(129n);
  await store.close();
  const file = new StoreFile<Uint8Array>(directory, 'blocks', { keys: 'binary' });
  const heights = (table: string) =>
    Array.from(file.table(table).keys({}), (key) => Number(Buffer.from(key).readBigUInt64BE()));
  // Busy at 121, then two idle ones that differ from the blocks before them.
  expect(heights('rows')).toEqual([123, 128, ...Array.from({ length: 22 }, (_, index) => 129 + index)]);
  expect([heights('blocks'), heights('results')]).toEqual([[123], [123]]);
  expect([file.table('hashes').count(), file.table('txs').count()]).toEqual([24, 2]);
  await file.close();
});

test('the last block stays, whatever is asked', async () => {
  const blocks = testBlocks(contents(40));
  const store = openStore(newDirectory());
  await appendAll(store, blocks.slice(0, 33));
  store.prune(1_000n);
  await appendAll(store, blocks.slice(33));
  expect([store.first, store.height]).toEqual([33n, 40n]);
});

test('with a limit in bytes, what is in use stays near it, and the file does not grow on', async () => {
  const limit = 4_000_000;
  const directory = newDirectory();
  const store = openStore(directory);
  const size = () => usedBytes(join(directory, 'data.mdb'));
  const blocks = testBlocks(Array.from({ length: 120 }, (_, index) => [Buffer.alloc(100_000, index)]));
  const sizes: number[] = [];
  for (const block of blocks) {
    await store.append([block]);
    store.prune(store.floorFor(limit));
    sizes.push(size());
  }
  expect(store.first).toBeGreaterThan(70n);
  expect(store.height - store.first).toBeGreaterThan(20n);
  expect(sizes.at(-1)).toBeLessThanOrEqual(1.1 * (sizes[60] ?? 0));
});
