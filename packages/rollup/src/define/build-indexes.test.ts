import { createMemoryStore, type Store } from '@switchyard/machine';
import { silentLogger } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { text, u32, u64 } from '../schema/scalars.ts';
import { list, record } from '../schema/shapes.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { buildIndexes } from './build-indexes.ts';
import { action, defineRollup, query } from './definition.ts';
import { type AnyTable, table } from './table.ts';

const signal = new AbortController().signal;
/** Large enough that a batch has 16 rows of them. */
const value = record({ size: u32, name: text({ maxBytes: 1_048_000 }) });
const plain = table({ name: 'rows', key: u64, value });
const indexed = (of: (row: { readonly size: number }) => readonly [number], version?: number) =>
  table({
    name: 'rows',
    key: u64,
    value,
    indexes: { size: { key: [u32], of, ...(version !== undefined && { version }) } },
  });
const COUNT = 100;

async function filled(): Promise<Store> {
  const store = createMemoryStore();
  const state = store.begin();
  for (let id = 0; id < COUNT; id += 1) plain.put(state, BigInt(id), { size: (id * 7) % 10, name: 'x' });
  await store.commit(store.seal(state, 0n));
  return store;
}
const sizesOf = (rows: ReturnType<typeof indexed>, store: Store) =>
  [...rows.by(store.snapshot(), 'size', [], { limit: 1_000 })].map(([, { size }]) => size);
const ascending = Array.from({ length: COUNT }, (_, at) => Math.floor(at / 10));

/** The store until its commits have been counted: it ends there as a killed process does. */
function endingAfter(store: Store, commits: number): Store {
  let left = commits;
  return {
    ...{ snapshot: () => store.snapshot(), head: () => store.head(), close: () => store.close() },
    ...{
      begin: (layer) => store.begin(layer),
      seal: (overlay, height) => store.seal(overlay, height),
      drop: () => store.drop(),
    },
    async commit(layer) {
      if (left === 0) throw new Error('killed');
      left -= 1;
      await store.commit(layer);
    },
  };
}

test('an index is built from the rows that there are, wherever its building ends and begins again', async () => {
  const rows = indexed(({ size }) => [size]);
  const reversed = indexed(({ size }) => [9 - size]);
  for (let commits = 0; ; commits += 1) {
    const store = await filled();
    const { root } = store.snapshot();
    await buildIndexes([rows], store, silentLogger, signal);
    const ended = await buildIndexes([reversed], endingAfter(store, commits), silentLogger, signal).then(
      () => false,
      () => true,
    );
    store.drop();
    // Either program may be the one that runs next.
    await buildIndexes([commits % 2 === 0 ? reversed : rows], store, silentLogger, signal);
    await buildIndexes([reversed], store, silentLogger, signal);
    expect(sizesOf(reversed, store)).toEqual([...ascending].reverse());
    expect(store.snapshot().root).toEqual(root);
    if (!ended) {
      expect(commits).toBeGreaterThan(5);
      return;
    }
  }
});

test('an index is built again for another function, key or version, and for nothing else', async () => {
  const store = await filled();
  const factor = { by: 1 };
  const of = ({ size }: { readonly size: number }) => [size * factor.by] as const;
  const heights: bigint[] = [];
  const build = async (rows: AnyTable) => {
    await buildIndexes([rows], store, silentLogger, signal);
    heights.push(store.snapshot().height ?? 0n);
    return heights.at(-1) !== heights.at(-2);
  };
  expect(await build(indexed(of))).toBe(true);
  factor.by = 2;
  expect(await build(indexed(of))).toBe(false);
  expect(await build(indexed(of, 2))).toBe(true);
  expect(await build(indexed(({ size }) => [size]))).toBe(true);
  expect([...store.snapshot().range({ prefix: 'index/by/', limit: 1_000 })]).toHaveLength(COUNT);
  expect(await build(plain)).toBe(true);
  expect([...store.snapshot().range({ prefix: 'index/by', limit: 1_000 })]).toEqual([]);
});

test('rows that an index cannot have are counted, and the first of them logged', async () => {
  const { log, lines } = memoryLogger();
  const store = await filled();
  const some = indexed(({ size }) => {
    if (size > 0 && size < 6) throw new Error('too small');
    return [size];
  });
  await buildIndexes([some], store, log, signal);
  expect(sizesOf(some, store)).toEqual([...ascending.slice(0, 10), ...ascending.slice(60)]);
  expect(lines.filter(({ msg }) => msg === 'a row is in no index')).toHaveLength(10);
  expect(lines.at(-1)).toMatchObject({ rows: 100, leftOut: 50, msg: 'index built' });
});

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

const GENESIS = JSON.stringify({
  rollup_name: 'rows',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
});
const ids = list(u64, { maxItems: 200 });

function rollupWith(rows: typeof plain, more: readonly AnyTable[] = []) {
  const add = action({
    fields: { id: u64, size: u32 },
    execute: ({ id, size }, { state }) => rows.put(state, id, { size, name: '' }),
  });
  return defineRollup({ name: 'rows', tables: [rows, ...more], actions: { add } });
}

test('a query of an index that came on kept data sees the rows of all blocks', async () => {
  const store = createMemoryStore();
  const before = await testRollup(rollupWith(plain), GENESIS, { store });
  for (const id of [1n, 2n]) await before.client.submit.add({ id, size: 7 }, signers[0], { until: 'accepted' });
  await before.block();
  await before.stop();
  const rows = indexed(({ size }) => [size]);
  const later = {
    ...rollupWith(rows),
    queries: {
      sized: query({
        parameters: { size: u32 },
        answer: { ids },
        handle: ({ size }, { state }) => ({
          ids: Array.from(rows.by(state, 'size', [size], { limit: 9 }), ([id]) => id),
        }),
      }),
    },
  };
  const node = await testRollup(defineRollup(later), GENESIS, { store });
  stopping.push(() => node.stop());
  expect(await node.client.query.sized({ size: 7 })).toEqual({ ids: [1n, 2n] });
  await node.client.submit.add({ id: 1n, size: 8 }, signers[0], { until: 'accepted' });
  await node.block();
  expect(await node.client.query.sized({ size: 7 })).toEqual({ ids: [2n] });
});

test('a derived table that comes to blocks without it begins at a later block, or is refused', async () => {
  const store = createMemoryStore();
  const before = await testRollup(rollupWith(plain), GENESIS, { store });
  await before.block();
  await before.stop();
  const seen = (from?: bigint) =>
    table({ name: 'seen', key: u64, value: u64, derived: true, ...(from !== undefined && { from }) });
  const started = (more: readonly AnyTable[]) => testRollup(rollupWith(plain, more), GENESIS, { store });
  for (const from of [undefined, 1n])
    await expect(started([seen(from)])).rejects.toThrow(
      'the definition: table seen: expected a derived table that has been there since block 0, or begins after block 1',
    );
  const node = await started([seen(2n)]);
  await node.block();
  await node.stop();
  const again = await started([seen(2n)]);
  await again.stop();
  // Rows of another type would be read by this one.
  await expect(started([{ ...seen(2n), value: u32 }])).rejects.toThrow('begins after block 2');
  const without = await started([]);
  await without.stop();
  await expect(started([seen(2n)])).rejects.toThrow('begins after block 2');
});
