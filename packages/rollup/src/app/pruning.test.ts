import { createMemoryStore, type Store } from '@switchyard/machine';
import { txHashOf } from '@switchyard/protocol';
import { KEEP_ALL, LEAST_BLOCKS, type Retention } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import type { Executor } from '../execution/executor.ts';
import { signSpend, tallyRollup } from '../testing/tally.ts';
import { testInput, testNode } from '../testing/test-node.ts';
import { RollupChain } from './chain.ts';
import { deleteRun, encodeReceipts, endOfRun, FateIndex, writeReceipts } from './fates.ts';

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

const keep = (blocks: bigint): Retention => ({ ...KEEP_ALL, blocks });

/** Executes blocks, each tenth of them with a transaction, some at a time. */
async function grow(store: Store, retention: Retention, blocks: number, { firm = true, atOnce = 7 } = {}) {
  const chain = await RollupChain.open(tallyRollup(), store, undefined, retention);
  for (let left = blocks; left > 0; left -= atOnce) {
    const next = Number(chain.view.soft) + 1;
    const inputs = Array.from({ length: Math.min(atOnce, left) }, (_, index) => {
      const number = next + index;
      const nonce = number / 10 - 1;
      const entries = number % 10 === 0 ? [{ kind: 'sequencedData' as const, data: signSpend({ nonce }) }] : [];
      return { ...testInput(number, entries), digest: new Uint8Array(32).fill(number) };
    });
    await chain.executeBatch(chain.view.block.hash, inputs, { firm });
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
    }
    expect((await opened.block({ number: 0n }))?.number).toBe(0n);
  }
  const rows = (prefix: string) => [...store.snapshot().range({ prefix, limit: 1_000 })].length;
  // The row before the lowest, the whole row that it is read from, and block 0.
  expect(rows('index/blocks/')).toBeLessThanOrEqual(143);
  expect(rows('index/block-by-hash/')).toBe(141);
  expect(rows('index/input-digests/')).toBe(140);
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

test('HTTP says what is gone, and how to keep more', async () => {
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

test('a run of fates is deleted with its rows, and tells its newest block', async () => {
  const store = createMemoryStore();
  const fates = new FateIndex();
  const hashes = Array.from({ length: 8 }, (_, number) => txHashOf(Uint8Array.of(number)));
  for (const [index, hash] of hashes.entries()) {
    const overlay = store.begin();
    writeReceipts(overlay, BigInt(index + 1), encodeReceipts([{ hash, code: 0 }]), 4);
    await store.commit(store.seal(overlay, BigInt(index)));
    fates.committed(store.snapshot(), BigInt(index + 1), [{ hash, code: 0 }]);
  }
  expect([endOfRun(store.snapshot(), 0n), endOfRun(store.snapshot(), 1n)]).toEqual([4n, 8n]);
  const overlay = store.begin();
  deleteRun(overlay, store.snapshot(), 0n);
  await store.commit(store.seal(overlay, 8n));
  const found = await Promise.all(hashes.map((hash) => fates.find(() => store.snapshot(), hash)));
  expect(found.map((fate) => fate?.block)).toEqual([...Array(4).fill(undefined), 5n, 6n, 7n, 8n]);
  expect([...store.snapshot().range({ prefix: 'index/fates/', limit: 10 })]).toHaveLength(1);
});
