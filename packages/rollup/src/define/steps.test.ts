import { createMemoryStore, type StateReader } from '@switchyard/machine';
import { formatAddress, txHashFromHex } from '@switchyard/protocol';
import { memoryLogger } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { u32 } from '../schema/scalars.ts';
import { signers } from '../testing/tally.ts';
import { testNode } from '../testing/test-node.ts';
import { getFetch, testRollup } from '../testing/test-rollup.ts';
import { clientOf } from './client.ts';
import { action, defineRollup, query } from './definition.ts';
import { toRollup } from './rollup-of.ts';
import { BOUNDS, countedFor } from './steps.ts';
import { table } from './table.ts';

const [alice] = signers;
const GENESIS = JSON.stringify({
  rollup_name: 'rows',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
});
const accepted = { until: 'accepted' } as const;
const rows = table({ name: 'rows', key: u32, value: u32 });

/** @param steps Of the action that writes some rows. */
const rollupWith = (steps?: number) =>
  defineRollup({
    name: 'rows',
    tables: [rows],
    actions: {
      fill: action({
        fields: { count: u32 },
        ...(steps !== undefined && { steps }),
        execute({ count }, { state }) {
          for (let row = 0; row < count; row += 1) rows.put(state, row, row);
        },
      }),
    },
    queries: {
      row: query({
        parameters: { id: u32 },
        answer: { value: u32 },
        handle({ id }, { state }) {
          const value = rows.get(state, id);
          return value === undefined ? undefined : { value };
        },
      }),
    },
  });

const fill = (count: number) => ({ kind: 'fill', count }) as const;

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

test.each([
  ['its own', 10, 10],
  ['the usual one', undefined, BOUNDS.action],
])('an action within its bound of steps is executed, and one above it leaves nothing: %s', async (_, steps, most) => {
  const node = await testRollup(rollupWith(steps), GENESIS);
  stopping.push(() => node.stop());
  const { hash } = await node.client.submit.fill({ count: most + 1 }, alice, accepted);
  await node.block();
  const refused = await node.client.wait(hash).catch((error: unknown) => error);
  expect(String(refused)).toContain(`limit reached: action fill, field steps, limit ${most}`);
  await expect(node.client.query.row({ id: 0 })).rejects.toThrow('no answer');
  await node.client.submit.fill({ count: most }, alice, accepted);
  await node.block();
  expect(await node.client.query.row({ id: most - 1 })).toEqual({ value: most - 1 });
});

test.each([0, 1.5, -1, Number.NaN])('a bound of %d steps is refused with the action', (steps) => {
  expect(() => rollupWith(steps)).toThrow(
    `action "fill": steps: expected a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, got ${steps}`,
  );
});

const counted = (indexes: number) =>
  table({
    name: 'rows',
    key: u32,
    value: u32,
    indexes: Object.fromEntries(
      [0, 1, 2].slice(0, indexes).map((at) => [`by${at}`, { key: [u32], of: (value: number) => [value + at] }]),
    ),
  });

// Defect: Nodes of one fingerprint with different indexes executed and refused the same transaction
test('indexes take no steps: nodes with different ones agree at the bound', async () => {
  const roots = await Promise.all(
    [0, 1, 2].map(async (indexes) => {
      const indexed = counted(indexes);
      const write = action({
        fields: { count: u32 },
        steps: 10,
        execute({ count }, { state }) {
          for (let row = 0; row < count; row += 1) indexed.put(state, row, row);
        },
      });
      const node = await testRollup(defineRollup({ name: 'rows', tables: [indexed], actions: { write } }), GENESIS);
      stopping.push(() => node.stop());
      for (const count of [10, 10, 11]) await node.client.submit.write({ count }, alice, accepted);
      await node.block();
      return [node.chain.view.block.executed, node.chain.view.block.receiptsHash, node.chain.view.block.stateRoot];
    }),
  );
  expect(roots[0]?.[0]).toBe(2);
  expect(roots.slice(1)).toEqual([roots[0], roots[0]]);
});

// Defect: A handler could read derived rows, which nodes may have otherwise
test('a handler neither reads nor writes derived rows', async () => {
  const derived = table({ name: 'derived', key: u32, value: u32, derived: true });
  const state = countedFor('fill', 10, createMemoryStore().begin());
  const message = 'table derived is derived: onBlock writes its rows';
  expect(() => derived.get(state, 1)).toThrow(message);
  expect(() => derived.put(state, 1, 1)).toThrow(message);
});

// Defect: 16 actions of one free transaction took 3.5 s and 250 MB
test('the actions of a transaction share the steps of the one that may take most', async () => {
  const node = await testRollup(rollupWith(10), GENESIS);
  stopping.push(() => node.stop());
  const { hash } = await node.client.send([fill(5), fill(6)], alice, accepted);
  await node.client.send([fill(5), fill(5)], alice, accepted);
  await node.block();
  const refused = await node.client.wait(hash).catch((error: unknown) => error);
  expect(String(refused)).toContain('limit reached: field steps of the transaction, limit 10');
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 1 });
});

// Defect: A block had no bound of work
test('beyond the steps of a block transactions are refused, and use up their nonces', async () => {
  const defined = toRollup(rollupWith(10), GENESIS);
  const ofAction = () => 10;
  const node = await testNode({ ...defined, steps: { ofAction, ofBlock: 25 } });
  stopping.push(() => node.stop());
  const client = clientOf(rollupWith(10), { url: 'http://node', fetch: getFetch(node) });
  for (let nonce = 0; nonce < 4; nonce += 1) await client.submit.fill({ count: 10 }, alice, accepted);
  await node.block();
  expect(node.chain.view.block).toMatchObject({ executed: 2, refused: 2 });
  expect((await node.get('/v1/blocks/1')).text).toContain('limit reached: field steps of the block, limit 25');
  await client.submit.fill({ count: 10 }, alice, accepted);
  await node.block();
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 0 });
});

// Defect: A step was a row of any size
test('each full KiB of a row is a step, read or written', () => {
  const state = countedFor('x', 10, createMemoryStore().begin());
  state.put('tables/rows/1', new Uint8Array(3 * 1_024 + 1));
  state.get('tables/rows/1');
  state.get('tables/rows/2');
  state.delete('tables/rows/1');
  expect(() => state.delete('tables/rows/1')).toThrow('x takes more than 10 steps');
});

const endlessAt =
  (key: string) =>
  (state: StateReader): never => {
    for (;;) state.get(key);
  };
const endless = endlessAt('tables/rows/1');
const { fill: known } = rollupWith().actions;
const base = { name: 'rows', actions: { fill: known } };

test('a deposit that takes more steps than its bound is skipped as a bug, and the chain continues', async () => {
  const genesis = JSON.stringify({
    ...JSON.parse(GENESIS),
    bridge_accounts: [{ bech32m: formatAddress(alice.account) }],
  });
  const defined = toRollup(defineRollup({ ...base, onDeposit: (_, state) => endless(state) }), genesis);
  const node = await testNode(defined);
  stopping.push(() => node.stop());
  const bridge = { account: alice.account, prefix: 'astria' };
  const deposit = {
    ...{ bridge, rollup: defined.genesis.rollup, amount: 7n, asset: 'nria', destination: '' },
    ...{ sourceTransaction: txHashFromHex('ab'.repeat(32)), sourceAction: 3n },
  };
  await node.block({ deposits: [deposit] });
  expect((await node.get('/v1/deposits/skipped')).text).toContain('onDeposit takes more than 10000 steps');
});

test('initialState and migrations beyond their bound stop the node in one line', async () => {
  const first = defineRollup({ ...base, initialState: endless });
  await expect(testNode(toRollup(first, GENESIS))).rejects.toThrow('initialState takes more than 1000000 steps');
  const migrated = defineRollup({ ...base, migrations: [{ at: 1n, run: endless }] });
  const node = await testNode(toRollup(migrated, GENESIS));
  stopping.push(() => node.stop());
  await expect(node.block()).rejects.toThrow('migration at block 1 takes more than 1000000 steps');
});

test('onBlock beyond its bound changes no block', async () => {
  const { log, lines } = memoryLogger();
  const node = await testNode(
    toRollup(defineRollup({ ...base, onBlock: (_, state) => endlessAt('index/rows/x/1')(state) }), GENESIS),
    { log },
  );
  stopping.push(() => node.stop());
  await node.block();
  expect((await node.get('/readyz')).body).toMatchObject({ status: 'degraded' });
  expect(lines).toContainEqual(
    expect.objectContaining({ error: expect.stringContaining('onBlock takes more than 1000000 steps') }),
  );
});

test.each([false, true])(
  'a range takes a step, and those of its rows, however many there are; reverse %s',
  (reverse) => {
    const below = createMemoryStore().begin();
    const keys = Array.from({ length: 600 }, (_, row) => `tables/rows/${String(row).padStart(3, '0')}`);
    for (const key of keys) below.put(key, new Uint8Array(1_024));
    const range = (limit: number) => countedFor('x', limit, below).range({ prefix: 'tables/', limit: 900, reverse });
    expect(range(1_201).map(([key]) => key)).toEqual(reverse ? keys.reverse() : keys);
    expect(() => range(1_200)).toThrow('x takes more than 1200 steps');
  },
);

// Defect: One query held up everything
test.each([
  ['too many rows', (state: StateReader) => endless(state), 'a query reads at most 50000 rows and KiB'],
  ['without an end', () => spin(), 'the query all has not ended within 2000 ms'],
])('a query that reads too much, or never ends, is answered with 503: %s', async (_, run, message) => {
  const all = query({ answer: { count: u32 }, handle: (__, { state }) => run(state) });
  const node = await testNode(toRollup(defineRollup({ ...base, queries: { all } }), GENESIS));
  stopping.push(() => node.stop());
  const { status, text } = await node.get('/v1/all');
  expect([status, text]).toEqual([503, expect.stringContaining(message)]);
});

function spin(): never {
  for (;;);
}
