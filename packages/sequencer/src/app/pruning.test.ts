import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, openLmdbStore } from '@switchyard/machine';
import { KEEP_ALL, LEAST_BLOCKS } from '@switchyard/service';
import { PageFile } from '@switchyard/storage';
import { expect, test } from 'vitest';
import { RETAIN_ALL, type RetentionConfig } from './pruning.ts';
import { nonceSpenders } from './tables/spenders.ts';
import { alice, CHAT, data, TestNode } from './testing.ts';

const keep = (changes: Partial<RetentionConfig>): RetentionConfig => ({ ...RETAIN_ALL, ...changes });

/** Makes blocks, each third of them with data. */
async function grow(node: TestNode, blocks: number): Promise<void> {
  for (let made = 0; made < blocks; made += 1) {
    if (made % 3 === 0) node.submit(alice, data(`text ${made}`));
    await node.make();
  }
}

function keptHeights(node: TestNode): bigint[] {
  const heights: bigint[] = [];
  for (let height = 1n; height <= node.height; height += 1n) {
    if (node.app.blocks.full(height) !== undefined) heights.push(height);
  }
  return heights;
}

function getRows(node: TestNode): string[] {
  return Array.from(node.app.snapshot().range({ prefix: 'index/block/', limit: 10_000 }), ([key]) => key);
}

test('an archive keeps every block, and asks no engine to delete any', async () => {
  const node = new TestNode();
  await grow(node, 150);
  expect([keptHeights(node).length, node.app.lowest]).toEqual([150, 1n]);
  node.app.finalizeBlock({ ...node.proposal(node.prepare()), hash: new Uint8Array(32) });
  expect(await node.app.commit()).toEqual({ retainHeight: 0n });
});

// Defect: Sequencer kept old blocks for ever
test('the newest blocks stay, the others go with all of their data, and the root is that of an archive', async () => {
  // Blocks in memory answer too, so the queried node is started again.
  const store = createMemoryStore();
  const node = new TestNode({ store, retention: keep({ blocks: 140n }) });
  const archive = new TestNode();
  await grow(node, 200);
  await grow(archive, 200);
  expect(node.app.info()).toEqual(archive.app.info());

  const again = new TestNode({ store, retention: keep({ blocks: 140n }) });
  expect(again.app.lowest).toBe(61n);
  expect(keptHeights(again)).toEqual(Array.from({ length: 140 }, (_, index) => BigInt(61 + index)));
  // Frames, the data of every third, and the common part of frames.
  expect(getRows(again).filter((key) => key.includes('/frame/'))).toHaveLength(140);
  expect(getRows(again).filter((key) => key.endsWith(CHAT))).toHaveLength(47);
});

test('the age counts from the newest block', async () => {
  // A block a second.
  const node = new TestNode({ retention: keep({ ageMs: 150_000 }) });
  await grow(node, 300);
  expect(node.app.lowest).toBe(150n);
});

test('a limit that comes late, or a floor of the engine, is reached some blocks at a time', async () => {
  const store = createMemoryStore();
  await grow(new TestNode({ store }), 400);
  const node = new TestNode({ store, retention: keep({ blocks: LEAST_BLOCKS }) });
  await node.make();
  expect(node.app.lowest).toBe(65n);
  for (let made = 0; made < 5; made += 1) await node.make();
  expect(node.app.lowest).toBe(node.height + 1n - LEAST_BLOCKS);
});

test('under CometBFT blocks stay as long as evidence about them counts', async () => {
  const retention = keep({ ...KEEP_ALL, blocks: LEAST_BLOCKS, evidence: true });
  const node = new TestNode({ retention });
  await grow(node, 200);
  expect(node.app.lowest).toBe(1n);
});

// Defect: A sequencer restored from a snapshot would have ended at its first pruning, once the age of evidence was required
// (never landed)
test('a node that was restored from a snapshot, which lacks the age of evidence, keeps blocks for the usual one', async () => {
  const store = createMemoryStore();
  const begin = store.begin.bind(store);
  store.begin = (layer) => {
    const overlay = begin(layer);
    const get = overlay.get.bind(overlay);
    overlay.get = (key) => (key === 'index/chain/evidence-age' ? undefined : get(key));
    return overlay;
  };
  const node = new TestNode({ store, retention: keep({ ...KEEP_ALL, blocks: LEAST_BLOCKS, evidence: true }) });
  await grow(node, 200);
  expect(node.app.lowest).toBe(1n);
});

test('of each account the newest spenders of nonces stay', async () => {
  const node = new TestNode({ retention: keep({ nonces: 5 }) });
  for (let made = 0; made < 12; made += 1) {
    node.submit(alice, data(`text ${made}`));
    await node.make();
  }
  const kept = Array.from({ length: 12 }, (_, nonce) => nonce).filter(
    (nonce) => nonceSpenders.get(node.app.snapshot(), [alice.account, nonce]) !== undefined,
  );
  expect(kept).toEqual([7, 8, 9, 10, 11]);
});

test('the file of a chain that is pruned as it grows stays as large as it is', { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pruning-'));
  const store = openLmdbStore(directory);
  try {
    const node = new TestNode({ store, retention: keep({ blocks: LEAST_BLOCKS, nonces: 20 }) });
    const sizes: bigint[] = [];
    for (let round = 0; round < 10; round += 1) {
      await grow(node, 100);
      sizes.push(statSync(join(directory, 'data.mdb'), { bigint: true }).size);
    }
    // Pages of deleted blocks are used again: the second half needs none.
    expect(sizes.at(-1)).toBeLessThanOrEqual(((sizes[4] ?? 0n) * 11n) / 10n);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

test('an empty block adds at most 300 bytes to the file', { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pruning-'));
  const store = openLmdbStore(directory);
  try {
    const node = new TestNode({ store });
    const size = () => usedBytes(join(directory, 'data.mdb'));
    for (let made = 0; made < 100; made += 1) await node.make();
    const before = size();
    for (let made = 0; made < 400; made += 1) await node.make();
    expect(size() - before).toBeLessThan(400 * 300);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

/** Bytes up to the last page in use: behind it is space for further commits. */
function usedBytes(path: string): number {
  const file = new PageFile(path);
  const { lastPage, pageSize } = file.meta();
  file.close();
  return (lastPage + 1) * pageSize;
}
