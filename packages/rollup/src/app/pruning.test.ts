import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, openLmdbStore, type Store } from '@switchyard/machine';
import { baseInputDigest, nextInputDigest, txHashOf } from '@switchyard/protocol';
import { KEEP_ALL, LEAST_BLOCKS, type Retention } from '@switchyard/service';
import { PageFile } from '@switchyard/storage';
import { afterEach, expect, test } from 'vitest';
import type { BlockInput, Executor } from '../execution/executor.ts';
import { signSpend, tallyRollup } from '../testing/tally.ts';
import { testInput, testNode } from '../testing/test-node.ts';
import { RollupChain } from './chain.ts';
import { deleteRun, endOfRun, OutcomeIndex, writeReceipts } from './outcomes.ts';
import { encodeReceipts } from './receipts.ts';
import { rowsBelow } from './stored-blocks.ts';

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

const keep = (blocks: bigint): Retention => ({ ...KEEP_ALL, blocks });

/** Each tenth block has a transaction. */
function getInput(number: number): BlockInput {
  const data = () => signSpend({ nonce: number / 10 - 1 });
  return testInput(number, number % 10 === 0 ? [{ kind: 'sequencedData', data: data() }] : []);
}

/** Numbers at the end of the keys under a prefix. */
function storedNumbers(store: Store, prefix: string): number[] {
  return [...store.snapshot().range({ prefix, limit: 1_000 })].map(([key]) => Number(`0x${key.slice(prefix.length)}`));
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Inputs with their digests. */
function digested(inputs: readonly BlockInput[], before: Uint8Array): BlockInput[] {
  let digest = before;
  return inputs.map((input) => {
    digest = nextInputDigest(digest, input);
    return { ...input, digest };
  });
}

/** Executes blocks, some at a time. */
async function grow(store: Store, retention: Retention, blocks: number, { firm = true, atOnce = 7 } = {}) {
  const chain = await RollupChain.open(tallyRollup(), store, undefined, retention);
  for (let left = blocks; left > 0; left -= atOnce) {
    const next = Number(chain.view.soft) + 1;
    const inputs = Array.from({ length: Math.min(atOnce, left) }, (_, index) => getInput(next + index));
    const { soft, block } = chain.view;
    const before = (await chain.inputDigest(soft)) ?? baseInputDigest(block.hash);
    await chain.executeBatch(block.hash, digested(inputs, before), { firm });
  }
  return chain;
}

async function keptNumbers(
  chain: Pick<Executor, 'block'> & { readonly view: { readonly lowest: bigint } },
  newest: number,
): Promise<number[]> {
  const kept: number[] = [];
  for (let number = 0; number <= newest; number += 1) {
    const metadata = await chain.block({ number: BigInt(number) });
    if (metadata === undefined || BigInt(number) < chain.view.lowest) continue;
    expect(await chain.block({ hash: metadata.hash })).toEqual(metadata);
    kept.push(number);
  }
  return kept;
}

// Defect: Messenger kept old blocks for ever
test('what stays reads as in an archive, and the chain is the same', async () => {
  const [store, all] = [createMemoryStore(), createMemoryStore()];
  const chain = await grow(store, keep(140n), 333);
  const archive = await grow(all, KEEP_ALL, 333);
  expect(chain.view.block).toEqual(archive.view.block);
  expect(chain.view.lowest).toBe(194n);
  for (const opened of [chain, await RollupChain.open(tallyRollup(), store)]) {
    expect(await keptNumbers(opened, 333)).toEqual(Array.from({ length: 140 }, (_, index) => 194 + index));
    for (let number = 194n; number <= 333n; number += 1n) {
      expect(await opened.block({ number })).toEqual(await archive.block({ number }));
      expect(await opened.inputDigest(number)).toEqual(await archive.inputDigest(number));
      expect(await opened.inputDigest(number)).toHaveLength(32);
    }
    expect((await opened.block({ number: 0n }))?.number).toBe(0n);
    for (const number of [0n, 1n, 193n]) expect(await opened.inputDigest(number)).toBeUndefined();
  }
  // Block 194 is read from the whole row of block 191, and its digest through the rows between.
  expect(storedNumbers(store, 'index/blocks/')).toEqual([0, ...range(191, 333)]);
  expect(storedNumbers(store, 'index/block-by-hash/')).toHaveLength(141);
  expect(storedNumbers(store, 'index/input-digests/')).toEqual([]);
});

test('whatever block is the lowest, it is read with its digest, and nothing else of before stays', async () => {
  const store = createMemoryStore();
  const archive = await grow(createMemoryStore(), KEEP_ALL, 170);
  await grow(store, keep(LEAST_BLOCKS), 140);
  for (let newest = 141; newest <= 170; newest += 1) {
    const chain = await grow(store, keep(LEAST_BLOCKS), 1);
    const lowest = newest - Number(LEAST_BLOCKS) + 1;
    expect(chain.view.lowest).toBe(BigInt(lowest));
    for (const number of [lowest, lowest + 5, newest].map(BigInt)) {
      expect(await chain.block({ number })).toEqual(await archive.block({ number }));
      expect(await chain.inputDigest(number)).toEqual(await archive.inputDigest(number));
    }
    const below = storedNumbers(store, 'index/blocks/').filter((number) => number > 0 && number < lowest);
    const needed = new Set(rowsBelow(store.snapshot(), BigInt(lowest)).map(Number));
    expect(below).toEqual([...needed].sort((a, b) => a - b));
  }
});

test('the firm block stays, however old it is', async () => {
  const store = createMemoryStore();
  await grow(store, keep(LEAST_BLOCKS), 20);
  const chain = await grow(store, keep(LEAST_BLOCKS), 300, { firm: false });
  expect([chain.view.firm, chain.view.lowest]).toEqual([20n, 20n]);
});

test('a limit that comes late is reached in the end', async () => {
  const store = createMemoryStore();
  await grow(store, KEEP_ALL, 500);
  const chain = await grow(store, keep(200n), 10, { atOnce: 1 });
  expect(chain.view.lowest).toBe(311n);
});

test('HTTP reports what was pruned, and how to keep more', async () => {
  const store = createMemoryStore();
  await grow(store, keep(LEAST_BLOCKS), 200);
  const node = await testNode(tallyRollup(), { store, retention: keep(LEAST_BLOCKS) });
  nodes.push(node);
  expect(await node.get('/v1/blocks/5')).toMatchObject({
    status: 410,
    body: { error: { message: expect.stringMatching(/block 5 is not kept.*lowest is 73.*RETAIN_BLOCKS=all/) } },
  });
  expect(await node.get('/v1/blocks/73')).toMatchObject({ status: 200, body: { number: 73 } });
  expect(await node.get('/v1/status')).toMatchObject({ status: 200, body: { lowestBlock: 73 } });
  const unknown = await node.get(`/v1/transactions/${txHashOf(Uint8Array.of(1))}`);
  expect(unknown).toMatchObject({ status: 404 });
  expect(unknown.text).toContain('blocks below 73 are not kept');
});

test('a run of outcomes is deleted with its rows, and returns its newest block', async () => {
  const store = createMemoryStore();
  const outcomes = new OutcomeIndex();
  const hashes = Array.from({ length: 8 }, (_, number) => txHashOf(Uint8Array.of(number)));
  for (const [index, hash] of hashes.entries()) {
    const overlay = store.begin();
    writeReceipts(overlay, BigInt(index + 1), encodeReceipts([{ hash, code: 0 }]), 4);
    await store.commit(store.seal(overlay, BigInt(index)));
    outcomes.committed(store.snapshot(), BigInt(index + 1), [{ hash, code: 0 }]);
  }
  expect([endOfRun(store.snapshot(), 0n), endOfRun(store.snapshot(), 1n)]).toEqual([4n, 8n]);
  const overlay = store.begin();
  deleteRun(overlay, store.snapshot(), 0n);
  await store.commit(store.seal(overlay, 8n));
  const found = await Promise.all(hashes.map((hash) => outcomes.find(() => store.snapshot(), hash)));
  expect(found.map((outcome) => outcome?.block)).toEqual([...Array(4).fill(undefined), 5n, 6n, 7n, 8n]);
  expect([...store.snapshot().range({ prefix: 'index/fates/', limit: 10 })]).toHaveLength(1);
});

test('an empty block adds at most 450 bytes to the file', { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rollup-'));
  const store = openLmdbStore(directory);
  const node = await testNode(tallyRollup(), { store });
  try {
    const size = () => usedBytes(join(directory, 'data.mdb'));
    for (let made = 0; made < 100; made += 1) await node.block();
    const before = size();
    for (let made = 0; made < 400; made += 1) await node.block();
    expect(size() - before).toBeLessThan(400 * 450);
  } finally {
    await node.stop();
    await store.close();
    rmSync(directory, { recursive: true });
  }
});

/** Bytes up to the last page in use: behind it is space for further commits. */
function usedBytes(path: string): number {
  const file = new PageFile(path);
  const { lastPage, pageSize } = file.meta();
  file.close();
  return (lastPage + 1) * pageSize;
}
