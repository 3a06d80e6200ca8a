import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Action,
  formatAddress,
  parseDenom,
  rollupIdBase64Url,
  rollupIdFromName,
  txHashOf,
} from '@switchyard/protocol';
import { alice, bob } from '@switchyard/protocol/testing';
import { InvalidConfig, silentLogger, systemClock, wallClock } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmbeddedStore } from '../store/embedded.ts';
import { TABLE_NAMES } from '../store/schema.ts';
import type { IndexStore, Row, Statement } from '../store/store.ts';
import { TestChain } from '../testing/chain.ts';
import { Head } from './head.ts';
import { SequencerIndexer } from './indexer.ts';

let directory: string;
const stops: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  rmSync(directory, { recursive: true });
});

const open = (name = 'index') =>
  new EmbeddedStore({ directory: join(directory, name), log: silentLogger, wall: wallClock });
const CHAT = rollupIdFromName('chat');
const nria = parseDenom('nria');
const data = (text: string): Action => ({
  kind: 'rollupDataSubmission',
  rollup: CHAT,
  data: new TextEncoder().encode(text),
  feeAsset: nria,
});
const pay = (amount: bigint): Action => ({
  kind: 'transfer',
  to: { account: bob.account, prefix: 'astria' },
  amount,
  asset: nria,
  feeAsset: nria,
});
const attributes = (each: Record<string, string>) => Object.entries(each).map(([key, value]) => ({ key, value }));
const deposit = {
  type: 'tx.deposit',
  attributes: attributes({
    bridgeAddress: formatAddress(bob.account),
    rollupId: rollupIdBase64Url(CHAT),
    amount: '340282366920938463463374607431768211455',
    asset: 'nria',
    destinationChainAddress: "<b>'); DROP TABLE blocks; --\0",
    sourceTransactionId: txHashOf(new Uint8Array([1])),
    sourceActionIndex: '0',
  }),
};
const fee = {
  type: 'tx.fees',
  attributes: attributes({ actionName: 'a', asset: 'nria', feeAmount: '12', positionInTransaction: '0' }),
};

/** Blocks with something of everything, and empty ones. */
function grow(chain: TestChain, blocks: number): TestChain {
  for (let count = 0; count < blocks; count += 1) {
    const height = chain.height + 1;
    if (height % 3 === 0) chain.add();
    else {
      chain.add(
        { actions: [data(`a ${height}`), data(`b ${height}`)], result: { events: [fee, fee] } },
        { actions: [pay(BigInt(height))], signer: bob, result: height % 2 === 0 ? { code: 5, log: 'refused' } : {} },
        { actions: [pay(1n)], result: { events: [deposit] } },
      );
    }
  }
  return chain;
}

function running(
  chain: TestChain,
  store: IndexStore,
  { log = silentLogger, chainId }: { log?: typeof silentLogger; chainId?: string } = {},
) {
  const stop = new AbortController();
  const deps = { clock: systemClock, log, random: () => 0 };
  const source = Object.assign(chain, {
    // biome-ignore lint/correctness/useYield: a node that does not push, so that it is polled
    async *streamFilteredBlocks(): AsyncGenerator<never> {
      throw new Error('no stream');
    },
  });
  const head = new Head({ ...deps, source, pollMs: 5 });
  const indexer = new SequencerIndexer({ ...deps, source, store, head, concurrency: 4, chainId });
  const work = Promise.all([head.run(stop.signal), indexer.run(stop.signal)]);
  const end = async () => {
    stop.abort(new Error('the test is over'));
    await work.catch(() => undefined);
    await store.close();
  };
  stops.push(end);
  const at = (height: number) =>
    eventually(() => indexer.state().height === height && indexer.state().problem === undefined, 30_000);
  return { indexer, work, at, end };
}

/** All rows but those about the index itself. */
async function contents(store: IndexStore): Promise<Record<string, Row[]>> {
  const tables = TABLE_NAMES.filter((name) => name !== 'meta');
  const rows = await Promise.all(tables.map((name) => store.read(`SELECT * FROM ${name}`)));
  return Object.fromEntries(tables.map((name, at) => [name, rows[at] ?? []]));
}

async function filled(chain: TestChain, name: string): Promise<Record<string, Row[]>> {
  const store = open(name);
  const { at, end } = running(chain, store);
  await at(chain.height);
  const all = await contents(store);
  await end();
  return all;
}

test('fills from the first block, follows, and keeps what the blocks hold', async () => {
  const chain = grow(new TestChain(), 5);
  const store = open();
  const { at } = running(chain, store);
  await at(5);
  grow(chain, 2);
  await at(7);
  const [block] = await store.read('SELECT * FROM blocks WHERE height = 4');
  expect(block).toMatchObject({
    ...{ hash: chain.hashAt(4), transactions: 3, failed: 1, submissions: 2, submission_bytes: 6, deposits: 1 },
    ...{ signed: 1, validators: 1, absent: '', time: 1_700_000_004_000 },
  });
  const [bundle] = await store.read("SELECT * FROM transactions WHERE height = 4 AND kinds = 'rollupDataSubmission'");
  expect(JSON.parse(String(bundle?.fees))).toEqual([{ asset: 'nria', amount: '24' }]);
  expect(JSON.parse(String(bundle?.actions))).toMatchObject([
    { kind: 'rollupDataSubmission', rollup: CHAT, bytes: 3, hash: txHashOf(new TextEncoder().encode('a 4')) },
    { bytes: 3 },
  ]);
  expect(await store.read('SELECT * FROM rollups')).toMatchObject([
    { rollup: CHAT, first_height: 1, last_height: 7, submissions: 10, bytes: 30, deposits: 5 },
  ]);
  expect(await store.read('SELECT * FROM bridges')).toMatchObject([
    { account: bob.account, rollup: CHAT, deposits: 5 },
  ]);
  expect(await store.read('SELECT * FROM deposits WHERE height = 1')).toMatchObject([
    { amount: '340282366920938463463374607431768211455', destination: "<b>'); DROP TABLE blocks; --\ufffd" },
  ]);
  const accounts = await store.read('SELECT account, transactions FROM accounts ORDER BY transactions');
  expect(accounts.map(({ account, transactions }) => [account, transactions])).toEqual(
    [
      [alice.account, 10],
      [bob.account, 10],
    ].sort(([a], [b]) => (accounts[0]?.account === a ? -1 : accounts[0]?.account === b ? 1 : 0)),
  );
  expect(await store.read('SELECT * FROM validators')).toMatchObject([
    { proposed: 7, signed: 6, missed: 0, active: 1 },
  ]);
});

test('killed at any statement of any batch, it ends with the same index', async () => {
  const chain = grow(new TestChain(), 12);
  const expected = await filled(chain, 'whole');
  for (let killAt = 1; killAt <= 60; killAt += 7) {
    const name = `killed-${killAt}`;
    const killed = open(name);
    let statements = 0;
    // A store like the disk of a process that ends in the middle of a batch: the transaction is not there.
    const dying: IndexStore = {
      place: killed.place,
      read: (sql, params) => killed.read(sql, params),
      close: () => killed.close(),
      async write(batch: readonly Statement[]) {
        statements += batch.length;
        if (statements < killAt) return killed.write(batch);
        const cut = batch.slice(0, Math.max(0, batch.length - (statements - killAt) - 1));
        await killed
          .write([...cut, { sql: 'INSERT INTO no_such_table (a) VALUES (1)', params: [] }])
          .catch(() => undefined);
        throw new Error('killed');
      },
    };
    const first = running(chain, dying);
    await eventually(() => statements >= killAt, 30_000);
    await first.end();
    expect(await filled(chain, name)).toEqual(expected);
  }
});

test('two that share an index write each block once', async () => {
  const chain = grow(new TestChain(), 30);
  const expected = await filled(chain, 'alone');
  const [one, other] = [open('shared'), open('shared')];
  const both = [running(chain, one), running(chain, other)];
  await Promise.all(both.map(({ at }) => at(30)));
  expect(await contents(one)).toEqual(expected);
});

test('a chain that was reset is filled again, also when it is shorter than before', async () => {
  const store = open();
  const first = running(grow(new TestChain('before'), 9), store);
  await first.at(9);
  await first.end();
  const { log, lines } = memoryLogger();
  const chain = grow(new TestChain('after'), 4);
  const expected = await filled(chain, 'expected');
  const again = open();
  const { at } = running(chain, again, { log });
  await at(4);
  expect(await contents(again)).toEqual(expected);
  expect(lines.map(({ msg }) => msg)).toContain('the sequencer was reset, filling the index again');
});

test('a chain that is reset while it is followed is filled again', async () => {
  const chain = grow(new TestChain('before'), 6);
  const store = open();
  const { at, indexer } = running(chain, store);
  await at(6);
  const next = grow(new TestChain('after'), 8);
  Object.assign(chain, {
    status: () => next.status(),
    block: (height?: bigint) => next.block(height),
    blockResults: (height: bigint) => next.blockResults(height),
  });
  await eventually(() => indexer.state().height === 8, 30_000);
  const [row] = await store.read('SELECT hash FROM blocks WHERE height = 3');
  expect(row?.hash).toBe(next.hashAt(3));
});

test('a node that is behind the index is waited for', async () => {
  const chain = grow(new TestChain(), 9);
  const store = open();
  const first = running(chain, store);
  await first.at(9);
  await first.end();
  const behind = grow(new TestChain(), 5);
  const again = open();
  const { at, indexer } = running(behind, again);
  await eventually(() => indexer.state().problem === undefined, 30_000);
  expect(indexer.state().height).toBe(9);
  grow(behind, 6);
  await at(11);
  expect(await again.read('SELECT COUNT(*) AS number FROM blocks')).toMatchObject([{ number: 11 }]);
});

test('another chain ends it with a line that names both, and the index stays', async () => {
  const first = running(grow(new TestChain(), 3), open());
  await first.at(3);
  await first.end();
  const store = open();
  const { work } = running(grow(new TestChain('two', 'other-chain'), 3), store);
  await expect(work).rejects.toThrow(InvalidConfig);
  await expect(work).rejects.toThrow(/a node of chain test-chain, which is in the index.*chain other-chain/);
  expect(await store.read('SELECT COUNT(*) AS number FROM blocks')).toMatchObject([{ number: 3 }]);
});

test('a node of another chain than expected ends it before anything is read', async () => {
  const { work } = running(grow(new TestChain(), 3), open(), { chainId: 'mine' });
  await expect(work).rejects.toThrow(/a node of chain mine.*chain test-chain/);
});

test('blocks that the node no longer has are left out, at the start and later', async () => {
  const chain = grow(new TestChain(), 6);
  chain.earliest = 4;
  const store = open();
  const first = running(chain, store);
  await first.at(6);
  await first.end();
  grow(chain, 9);
  chain.earliest = 10;
  const { log, lines } = memoryLogger();
  const again = open();
  const { at } = running(chain, again, { log });
  await at(15);
  const heights = await again.read('SELECT height FROM blocks ORDER BY height');
  expect(heights.map(({ height }) => height)).toEqual([4, 5, 6, 10, 11, 12, 13, 14, 15]);
  expect(lines).toContainEqual(
    expect.objectContaining({ from: 7, to: 9, msg: 'the sequencer no longer has these blocks, leaving them out' }),
  );
});

test('a node that is away is waited for', async () => {
  const chain = grow(new TestChain(), 3);
  const { at, indexer } = running(chain, open());
  await at(3);
  chain.isAway = true;
  grow(chain, 2);
  // Its head is queried too, so nothing new is known until it is back.
  await new Promise((resolve) => setImmediate(resolve));
  expect(indexer.state().height).toBe(3);
  chain.isAway = false;
  await at(5);
});

test('what the index has is known when the explorer starts while the node is away', async () => {
  const chain = grow(new TestChain(), 3);
  const first = running(chain, open());
  await first.at(3);
  await first.end();
  chain.isAway = true;
  const { at, indexer } = running(chain, open());
  await eventually(() => indexer.state().height === 3, 30_000);
  expect(indexer.state()).toMatchObject({ chainId: chain.chainId, problem: 'the sequencer was not reached yet' });
  chain.isAway = false;
  grow(chain, 1);
  await at(4);
});
