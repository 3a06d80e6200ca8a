import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '@switchyard/machine';
import { type Deposit, formatAddress, txHashFromHex } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { action, defineRollup } from '../define/definition.ts';
import { toRollup } from '../define/rollup-of.ts';
import { single, table } from '../define/table.ts';
import { u32, u64 } from '../schema/scalars.ts';
import { signers } from '../testing/tally.ts';
import { testNode } from '../testing/test-node.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { sealedWorld } from './sealed-world.ts';

const [alice] = signers;
const bridge = { account: alice.account, prefix: 'astria' };
const GENESIS = JSON.stringify({
  rollup_name: 'x',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
  bridge_accounts: [{ bech32m: formatAddress(alice.account) }],
});

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const SOURCES: readonly (readonly [string, () => unknown])[] = [
  // biome-ignore lint/plugin: it throws in a handler
  ['Date.now()', () => Date.now()],
  // biome-ignore lint/plugin: it throws in a handler
  ['new Date()', () => new Date()],
  // biome-ignore lint/plugin: it throws in a handler
  ['Date()', () => Date()],
  ['Math.random()', () => Math.random()],
  ['performance.now()', () => performance.now()],
  ['crypto.getRandomValues()', () => crypto.getRandomValues(new Uint8Array(1))],
  ['crypto.randomUUID()', () => crypto.randomUUID()],
  ['fetch()', () => fetch('http://127.0.0.1:9')],
  ['setTimeout()', () => setTimeout(() => undefined, 0)],
  ['setInterval()', () => setInterval(() => undefined, 1)],
  ['setImmediate()', () => setImmediate(() => undefined)],
  ['queueMicrotask()', () => queueMicrotask(() => undefined)],
  ['process.hrtime()', () => process.hrtime()],
  ['process.hrtime()', () => process.hrtime.bigint()],
  ['process.env', () => process.env.TZ],
  ['performance.timeOrigin', () => performance.timeOrigin],
  ['Intl', () => Intl.NumberFormat()],
  ['Number.prototype.toLocaleString()', () => (1.5).toLocaleString()],
  ['BigInt.prototype.toLocaleString()', () => 1n.toLocaleString()],
  ['String.prototype.localeCompare()', () => ['b', 'a'].sort((left, right) => left.localeCompare(right))],
  ['Date.prototype.getHours()', () => new Date(0).getHours()],
  ['Date.prototype.toString()', () => `${new Date(0)}`],
  ['new Date() in the time zone of the machine', () => new Date(2020, 1)],
  ['new Date() in the time zone of the machine', () => new Date('2020-01-01T00:00')],
  ['Date.parse()', () => Date.parse('2020-01-01')],
];

// Defect: `process.env`, `Intl`, local time ran in handlers
test.each(SOURCES)('%s throws in a handler, and the node stops before it commits', async (name, use) => {
  const rows = single({ name: 'rows', value: u64, absent: 0n });
  const rollup = defineRollup({
    name: 'x',
    tables: [rows],
    actions: {
      odd: action({
        fields: {},
        execute(_, { state }) {
          rows.put(state, 1n);
          use();
        },
      }),
    },
  });
  const { client, ...node } = await testRollup(rollup, GENESIS);
  closing.push(() => node.stop());
  const { hash } = await client.submit.odd({}, alice, { until: 'accepted' });
  const { message } = (await node.block().catch((error: unknown) => error)) as Error;
  expect(message).toContain(
    `block 1 cannot be executed: action odd of transaction ${hash}: Error: ${name} is not for a handler`,
  );
  expect(message).toContain('sealed-world.test.ts');
  expect(node.chain.view.soft).toBe(0n);
  expect(rows.get(node.chain.view.snapshot)).toBe(0n);
});

test('afterwards every source is as it was, also when the work throws', () => {
  const find = () => [Date, Math.random, performance.now, crypto.getRandomValues, fetch, setTimeout, queueMicrotask];
  const before = find();
  const values = [process.env, Intl, performance.timeOrigin];
  expect(sealedWorld(() => 5)).toBe(5);
  expect(() =>
    sealedWorld(() => {
      throw new RangeError('of the work');
    }),
  ).toThrow('of the work');
  expect(find()).toEqual(before);
  expect([process.env, Intl, performance.timeOrigin]).toEqual(values);
  for (const [, use] of SOURCES.slice(0, 7)) expect(use()).toBeDefined();
  expect(Object.hasOwn(performance, 'now')).toBe(false);
});

test('a date of a number, and what it is compared with, are calculations', () => {
  const at = sealedWorld(() => new Date(1_700_000_000_000));
  expect(at.toISOString()).toBe('2023-11-14T22:13:20.000Z');
  expect(at).toBeInstanceOf(Date);
  expect(sealedWorld(() => new Date('2020-01-01T00:00:00+02:00').getTime())).toBe(1_577_829_600_000);
  expect(sealedWorld(() => new Date('2020-01-01').getUTCHours())).toBe(0);
  expect(sealedWorld(() => at instanceof Date && Date.UTC(2020, 0) > 0)).toBe(true);
});

test('a handler that returns a promise stops the node', async () => {
  const rollup = defineRollup({
    name: 'x',
    actions: { late: action({ fields: {}, execute: () => Promise.resolve() as never }) },
  });
  const { client, ...node } = await testRollup(rollup, GENESIS);
  closing.push(() => node.stop());
  await client.submit.late({}, alice, { until: 'accepted' });
  await expect(node.block()).rejects.toThrow('it returned a promise, but a handler is synchronous');
});

test('a bug in a deposit and one in the hook of a block are named', async () => {
  const base = { name: 'x', actions: { nothing: action({ fields: {}, execute: () => undefined }) } };
  const deposit: Deposit = {
    ...{ bridge, rollup: toRollup(defineRollup(base), GENESIS).genesis.rollup, amount: 1n, asset: 'nria' },
    ...{ destination: 'x', sourceTransaction: txHashFromHex('ab'.repeat(32)), sourceAction: 3n },
  };
  const depositing = defineRollup({ ...base, onDeposit: () => Math.random() as never });
  const node = await testNode(toRollup(depositing, GENESIS));
  closing.push(() => node.stop());
  await expect(node.block({ deposits: [deposit] })).rejects.toThrow(
    `block 1 cannot be executed: deposit 3 of transaction ${'ab'.repeat(32)}: Error: Math.random() is not for a handler`,
  );
  // biome-ignore lint/plugin: it throws in a handler
  const hooked = defineRollup({ ...base, onBlock: () => void Date.now() });
  const other = await testNode(toRollup(hooked, GENESIS));
  closing.push(() => other.stop());
  await expect(other.block()).rejects.toThrow(
    'block 1 cannot be executed: the hook of the block: Error: Date.now() is not',
  );
});

test('blocks that read and write a store on disk are not disturbed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-sealed-'));
  closing.push(() => rmSync(directory, { recursive: true, force: true }));
  const rows = table({
    name: 'rows',
    key: u32,
    value: u64,
    absent: 5n,
    indexes: { value: { key: [u64], of: (value) => [value] } },
  });
  const rollup = defineRollup({
    name: 'x',
    tables: [rows],
    actions: {
      count: action({
        fields: { row: u32 },
        execute({ row }, { state }) {
          // The first one is zero, whose encoding has no bytes.
          rows.put(state, row, rows.has(state, row) ? rows.get(state, row) + 1n : 0n);
        },
      }),
    },
  });
  // The file is mapped again with each read, for which the engine begins a transaction with a timer.
  const store = openLmdbStore(directory, { isReplayed: true, onDamage: () => undefined, residentBytes: 1 });
  closing.push(() => store.close());
  const { client, ...node } = await testRollup(rollup, GENESIS, { store });
  closing.push(() => node.stop());
  for (let block = 1; block <= 5; block += 1) {
    for (let row = 0; row < 3; row += 1) await client.submit.count({ row }, alice, { until: 'accepted' });
    await node.block();
  }
  const { view } = node.chain;
  expect(view).toMatchObject({ soft: 5n, block: { executed: 3, refused: 0 } });
  expect([...rows.range(view.snapshot, { limit: 10 })]).toEqual([0, 1, 2].map((row) => [row, 4n]));
  expect([...rows.by(view.snapshot, 'value', [4n], { limit: 10, reverse: true })].map(([row]) => row)).toEqual([
    2, 1, 0,
  ]);
  expect([...rows.by(view.snapshot, 'value', [0n], { limit: 10 })]).toEqual([]);
});

test('a row that was damaged stops the node, and is no refusal', async () => {
  const rows = single({ name: 'rows', value: u64, absent: 0n });
  const rollup = defineRollup({
    name: 'x',
    tables: [rows],
    actions: {
      damage: action({ fields: {}, execute: (_, { state }) => state.put(rows.storeKey(), Uint8Array.of(8, 0)) }),
      read: action({ fields: {}, execute: (_, { state }) => void rows.get(state) }),
    },
  });
  const { client, ...node } = await testRollup(rollup, GENESIS);
  closing.push(() => node.stop());
  await client.send([{ kind: 'damage' }, { kind: 'read' }], alice, { until: 'accepted' });
  await expect(node.block()).rejects.toThrow(
    /action read of transaction \w+: a stored row is not the encoding of a row/,
  );
});
