import { balances, createMemoryStore, type StateWriter, type Store } from '@switchyard/machine';
import { type Deposit, formatAddress, parseDenom, Rejected, rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { type Retention, silentLogger } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import type { BlockRecord } from '../app/commits.ts';
import { address, text, u32, u64 } from '../schema/scalars.ts';
import { list, record } from '../schema/shapes.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { buildIndexes } from './build-indexes.ts';
import { action, defineRollup, query } from './definition.ts';
import type { Hook } from './derive-rows.ts';
import { event } from './events.ts';
import { SEARCH, wordKeys } from './search.ts';
import { type AnyTable, table } from './table.ts';

const signal = new AbortController().signal;
/** Large enough that a batch has 16 rows of them. */
const value = record({ size: u32, name: text({ maxBytes: 1_048_000 }) });
const plain = table({ name: 'rows', key: u64, value });
const indexed = (item: (row: { readonly size: number }) => readonly [number], version?: number) =>
  table({
    name: 'rows',
    key: u64,
    value,
    indexes: { size: { key: [u32], of: item, ...(version !== undefined && { version }) } },
  });
const COUNT = 100;
const NRIA = parseDenom('nria').id;
const NO_HOOK: Hook = {
  indexes: [],
  formerRows: [],
  ...{ own: undefined, rollup: rollupIdFromName('rows'), rowTables: new Set() },
  run: () => undefined,
};

async function filled(): Promise<Store> {
  const store = createMemoryStore();
  const state = store.begin();
  for (let id = 0; id < COUNT; id += 1) plain.put(state, BigInt(id), { size: (id * 7) % 10, name: 'x' });
  await store.commit(store.seal(state, 0n));
  return store;
}
const getSizes = (rows: ReturnType<typeof indexed>, store: Store) =>
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

// Defect: A build of an index that ended in the middle
test('an index is built from the rows that there are, wherever its building ends and begins again', async () => {
  const rows = indexed(({ size }) => [size]);
  const reversed = indexed(({ size }) => [9 - size]);
  for (let commits = 0; ; commits += 1) {
    const store = await filled();
    const { root } = store.snapshot();
    await buildIndexes([rows], NO_HOOK, store, silentLogger, signal);
    const ended = await buildIndexes([reversed], NO_HOOK, endingAfter(store, commits), silentLogger, signal).then(
      () => false,
      () => true,
    );
    store.drop();
    // Either program may run next.
    await buildIndexes([commits % 2 === 0 ? reversed : rows], NO_HOOK, store, silentLogger, signal);
    await buildIndexes([reversed], NO_HOOK, store, silentLogger, signal);
    expect(getSizes(reversed, store)).toEqual([...ascending].reverse());
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
  const find = ({ size }: { readonly size: number }) => [size * factor.by] as const;
  const heights: bigint[] = [];
  const build = async (rows: AnyTable) => {
    await buildIndexes([rows], NO_HOOK, store, silentLogger, signal);
    heights.push(store.snapshot().height ?? 0n);
    return heights.at(-1) !== heights.at(-2);
  };
  expect(await build(indexed(find))).toBe(true);
  factor.by = 2;
  expect(await build(indexed(find))).toBe(false);
  expect(await build(indexed(find, 2))).toBe(true);
  expect(await build(indexed(({ size }) => [size]))).toBe(true);
  expect([...store.snapshot().range({ prefix: 'index/by/', limit: 1_000 })]).toHaveLength(COUNT);
  const searched = table({ name: 'rows', key: u64, value, search: ['name'] });
  expect([await build(searched), await build(searched)]).toEqual([true, false]);
  expect([...store.snapshot().range({ prefix: 'index/by/', limit: 1_000 })]).toHaveLength(COUNT);
  const [first = []] = wordKeys(['x']);
  expect([...searched.page(store.snapshot(), { index: SEARCH, first, limit: 1_000 })]).toHaveLength(COUNT);
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
  await buildIndexes([some], NO_HOOK, store, log, signal);
  expect(getSizes(some, store)).toEqual([...ascending.slice(0, 10), ...ascending.slice(60)]);
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

// Defect: An index that came on kept data answered for later blocks alone
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

interface HistoryOptions {
  readonly factor?: bigint;
  readonly version?: number;
  readonly withTotals?: boolean;
  readonly from?: bigint;
}

/** A rollup whose derived tables follow from all that a hook is given. Its rows are large enough for batches of 16. */
function historyRollup({ factor = 1n, version = 1, withTotals = false, from }: HistoryOptions = {}) {
  const sold = event('sold', { price: u64 });
  const blocks = table({
    ...{ name: 'blocks', key: u64, derived: true, version, ...(from !== undefined && { from }) },
    value: text({ maxBytes: 1_048_000 }),
  });
  const sales = table({
    ...{ name: 'sales', key: [u64, u32], value: u64, derived: true },
    indexes: { price: { key: [u64], of: (price) => [price] } },
  });
  const totals = table({ name: 'totals', key: address, value: u64, absent: 0n, derived: true });
  const sell = action({
    fields: { price: u64 },
    execute({ price }, context) {
      plain.put(context.state, price, { size: 0, name: '' });
      sold.emit(context, { price });
    },
  });
  const written = (block: BlockRecord<{ readonly price: bigint }>, state: StateWriter): void => {
    const { number, events } = block;
    blocks.put(
      state,
      number,
      JSON.stringify(block, (_, each) => (typeof each === 'bigint' ? String(each) : each)),
    );
    for (const [index, { event: found, signer }] of events.entries()) {
      sales.put(state, [number, index], found.price * factor);
      if (withTotals) totals.put(state, signer, totals.get(state, signer) + 1n);
    }
    if (number === 3n && factor === 2n) throw new Error('the hook has a bug in block 3');
  };
  return defineRollup({
    name: 'rows',
    tables: [plain, blocks, sales, ...(withTotals ? [totals] : [])],
    events: [sold],
    actions: { sell },
    onDeposit({ destination }) {
      if (destination === 'bob') throw new Rejected('malformed');
      if (destination === 'bug') throw new TypeError('a bug');
      return signers[0].account;
    },
    onBlock: withTotals ? (block, state) => written(block, state) : written,
    queries: {
      prices: query({
        answer: { prices: list(u64, { maxItems: 200 }) },
        handle: (_, { state }) => ({
          prices: Array.from(sales.by(state, 'price', [], { limit: 200 }), ([, price]) => price),
        }),
      }),
    },
  });
}

const BRIDGE = formatAddress(signers[0].account);
const HISTORY_GENESIS = JSON.stringify({
  ...{ rollup_name: 'rows', sequencer_chain_id: 'sequencer-0', failed_deposits: { bech32m: BRIDGE } },
  bridge_accounts: [{ bech32m: BRIDGE }],
});
const makeDeposit = (destination: string, amount: bigint): Deposit => ({
  ...{ bridge: { account: signers[0].account, prefix: 'astria' }, rollup: rollupIdFromName('rows') },
  ...{ amount, asset: `transfer/channel-0/${'n'.repeat(400)}`, destination },
  sourceTransaction: txHashOf(Uint8Array.of(Number(amount))),
  sourceAction: 3n,
});

/** Ten blocks: some have events, some have deposits, which are credited, skipped, or diverted. */
async function withHistory(
  rollup: ReturnType<typeof historyRollup>,
  store = createMemoryStore(),
  retention?: Retention,
) {
  const node = await testRollup(rollup, HISTORY_GENESIS, { store, log: silentLogger, ...(retention && { retention }) });
  for (let block = 0n; block < 10n; block += 1n) {
    if (block !== 4n)
      for (const signer of signers) await node.client.submit.sell({ price: block }, signer, { until: 'accepted' });
    const deposits = ['bob', 'alice', 'bug', 'a'.repeat(400)].map((each, at) =>
      makeDeposit(each, block * 4n + BigInt(at)),
    );
    await node.block(block % 3n === 0n ? { deposits } : {});
  }
  await node.stop();
  return store;
}
const started = (rollup: ReturnType<typeof historyRollup>, store: Store, log = silentLogger) =>
  testRollup(rollup, HISTORY_GENESIS, { store, log });
const rowsUnder = (store: Store) =>
  ['index/rows/', 'index/by/', 'index/hook-gaps/'].flatMap((prefix) => [
    ...store.snapshot().range({ prefix, limit: 10_000 }),
  ]);

// Defect: A derived table without its first rows was served
// Defect: Rows of a changed `onBlock` were mixed with those of the one before, silently and for ever
test('derived tables that came or changed have the rows of a node that executed all blocks, wherever their writing ends', async () => {
  const changed = historyRollup({ factor: 3n, withTotals: true });
  const expected = rowsUnder(await withHistory(changed));
  expect(expected.length).toBeGreaterThan(40);
  for (let commits = 0; ; commits += 1) {
    const store = await withHistory(historyRollup({ factor: 2n }));
    const { root } = store.snapshot();
    const isWhole = await started(changed, endingAfter(store, commits)).then(
      (node) => node.stop().then(() => true),
      () => false,
    );
    store.drop();
    // Either program may run next.
    if (commits % 2 === 0) await (await started(historyRollup({ factor: 2n }), store)).stop();
    await (await started(changed, store)).stop();
    expect(rowsUnder(store)).toEqual(expected);
    expect(store.snapshot().root).toEqual(root);
    if (isWhole) {
      expect(commits).toBeGreaterThan(8);
      return;
    }
  }
}, 120_000);

test('derived tables are written again for another hook or version, and for nothing else', async () => {
  const store = await withHistory(historyRollup());
  const isWritten = async (rollup: ReturnType<typeof historyRollup>) => {
    const { log, lines } = memoryLogger();
    await (await started(rollup, store, log)).stop();
    return lines.some(({ msg }) => msg === 'derived tables written again');
  };
  expect(await isWritten(historyRollup())).toBe(false);
  expect(await isWritten(historyRollup({ version: 2 }))).toBe(true);
  expect(await isWritten(historyRollup({ version: 2 }))).toBe(false);
  expect(await isWritten({ ...historyRollup({ version: 2 }), onBlock: () => undefined })).toBe(true);
});

// Defect: A gap that a bug of `onBlock` had left stayed until the node executed all blocks again
test('a correct hook fills the gap that a bug of the one before has left', async () => {
  const store = await withHistory(historyRollup({ factor: 2n }));
  const before = await started(historyRollup({ factor: 2n }), store);
  expect((await before.get('/readyz')).text).toContain('onBlock failed in block 3');
  await before.stop();
  const node = await started(historyRollup({ version: 2 }), store);
  stopping.push(() => node.stop());
  expect((await node.get('/readyz')).body).toMatchObject({ status: 'ok' });
  const each = [0n, 1n, 2n, 3n, 5n, 6n, 7n, 8n, 9n];
  const prices = each.flatMap((price) => signers.map(() => price));
  expect(await node.client.query.prices({})).toEqual({ prices });
});

test('a derived table that begins at a block has no rows before it, and no gap', async () => {
  const store = await withHistory(historyRollup());
  const node = await started(historyRollup({ from: 9n }), store);
  stopping.push(() => node.stop());
  expect(store.snapshot().range({ prefix: 'index/rows/blocks/', limit: 100 })).toHaveLength(2);
  expect((await node.get('/readyz')).body).toMatchObject({ status: 'ok' });
});

// Defect: `onBlock`, which no fingerprint covers, could change rows of the state, and so the state root of one node
test('onBlock that uses the state is a bug that names the table, and no row of it changes', async () => {
  let version = 0;
  const seen = () => table({ name: 'seen', key: u64, value: u64, derived: true, version });
  const started = async (use: (state: StateWriter, block: bigint) => void, store: Store) => {
    version += 1;
    const rows = seen();
    const { log, lines } = memoryLogger();
    const onBlock = ({ number }: BlockRecord<never>, state: StateWriter): void => {
      rows.put(state, number, 1n);
      use(state, number);
    };
    const node = await testRollup({ ...rollupWith(plain, [rows]), onBlock }, GENESIS, { store, log });
    await node.block();
    const { body } = await node.get('/readyz');
    await node.stop();
    return {
      ...(body as object),
      errors: lines.map(({ error }) => String(error)).filter((each) => each !== 'undefined'),
    };
  };
  const [store, other] = [createMemoryStore(), createMemoryStore()];
  const row = { size: 1, name: '' };
  expect(await started(() => undefined, store)).toMatchObject({ status: 'ok', errors: [] });
  await started(() => undefined, other);
  const found = await started((state, block) => plain.put(state, block, row), store);
  expect(found).toMatchObject({ status: 'degraded', reason: expect.stringContaining('2 blocks between 1 and 2') });
  expect(found.errors).toHaveLength(2);
  for (const error of found.errors) expect(error).toContain('onBlock uses tables/rows: expected derived tables alone');
  await started(() => undefined, other);
  expect(store.snapshot().root).toEqual(other.snapshot().root);
  expect(await started((state) => void plain.get(state, 1n), store)).toMatchObject({ status: 'degraded' });
  expect(await started((state) => void plain.first(state), store)).toMatchObject({ status: 'degraded' });
  expect(await started((state) => void balances.get(state, [signers[0].account, NRIA]), store)).toMatchObject({
    errors: expect.arrayContaining([expect.stringContaining('expected derived tables alone')]),
  });
  expect(await started(() => undefined, store)).toMatchObject({ status: 'ok', errors: [] });
});

// Defect: Rows of a derived table whose value had another type were read by the new one
test('where blocks are not kept, derived rows stay with a warning at each start, and a new table begins at a later block', async () => {
  const retention: Retention = { blocks: 2n, ageMs: undefined, least: 1n };
  const store = await withHistory(historyRollup(), createMemoryStore(), retention);
  const kept = rowsUnder(store);
  for (const again of ['changed', 'as before']) {
    const { log, lines } = memoryLogger();
    await (await started(historyRollup({ version: 2 }), store, log)).stop();
    expect([again, lines.filter(({ level }) => level === 'warn')]).toEqual([
      again,
      [expect.objectContaining({ upTo: '10', msg: expect.stringContaining('may be those of another onBlock') })],
    ]);
    expect(rowsUnder(store)).toEqual(kept);
  }
  await expect(started(historyRollup({ withTotals: true }), store)).rejects.toThrow(
    /table totals: expected a derived table that has been there since block 0, or begins after block 10, got one whose rows of the blocks before are missing, since blocks below \d+ are not kept/,
  );
  expect(rowsUnder(store)).toEqual(kept);
  const base = historyRollup();
  // Rows of another type would be read by this one.
  const tables = base.tables?.map((each) => (each.name === 'sales' ? { ...each, value: u32 } : each)) ?? [];
  await expect(started({ ...base, tables }, store)).rejects.toThrow(
    'table sales: expected a derived table that has been',
  );
  const later = table({ name: 'later', key: u64, value: u64, derived: true, from: 11n });
  const rollup = {
    ...base,
    tables: [...(base.tables ?? []), later],
    onBlock: ({ number }: BlockRecord<never>, state: StateWriter) => later.put(state, number, 7n),
  };
  const node = await started(rollup, store);
  stopping.push(() => node.stop());
  await node.block();
  expect(later.range(store.snapshot(), { limit: 9 })).toEqual([[11n, 7n]]);
});
