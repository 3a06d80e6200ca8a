import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Endpoints } from '@switchyard/client';
import { type Clock, silentLogger, systemClock, wallClock } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { frameworkReader } from '../rollups/framework-reader.ts';
import { RollupIndexer } from '../rollups/rollup-indexer.ts';
import { Head } from '../sequencer/head.ts';
import { SequencerIndexer } from '../sequencer/indexer.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { TestChain } from '../testing/chain.ts';
import { TestRollup } from '../testing/rollup.ts';
import { getRollup, isRollupReset, rollupEndpoints, watchRollup } from './rollup.ts';
import { isSequencerReset, type SequencerNode, toSequencer, watchSequencer } from './sequencer.ts';

let directory: string;
let store: EmbeddedStore;
let stop: AbortController;
let work: Promise<unknown>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
  store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort(new Error('the test is over'));
  await work;
  await store.close();
  rmSync(directory, { recursive: true });
});

/** Runs a hundred times as fast. */
const clock: Clock = {
  now: () => systemClock.now() * 100,
  after: (ms, fire) => systemClock.after(ms / 100, fire),
};
const random = () => 0;
const count = async (table: string) => (await store.read(`SELECT COUNT(*) AS number FROM ${table}`))[0]?.number;
const grown = (blocks: number, name = 'one', chainId = 'test-chain') => {
  const chain = new TestChain(name, chainId);
  for (let block = 0; block < blocks; block += 1) chain.add();
  return chain;
};

function makeNode(chain: TestChain): SequencerNode {
  const unused = () => Promise.reject(new Error('not asked in this test'));
  return {
    status: () => chain.status(),
    block: (height = BigInt(chain.height)) => chain.block(height),
    executedBlocks: (heights) => chain.executedBlocks(heights),
    validators: () => chain.validators(),
    commit: (height = BigInt(chain.height)) => chain.commit(height),
    // biome-ignore lint/correctness/useYield: nodes that do not push, so that they are polled
    async *streamFilteredBlocks() {
      throw new Error('no stream');
    },
    ...{ filteredBlock: unused, balances: unused, nonce: unused, bridgeAccount: unused },
  };
}

/** An explorer over these nodes of a sequencer. */
function followed(...nodes: readonly SequencerNode[]) {
  const { log, lines } = memoryLogger();
  const all = nodes.map((client, at) => ({ url: `node ${at}`, client }));
  const endpoints = new Endpoints(all, { maxLag: 5n, badForMs: 600_000, clock, log });
  const source = toSequencer(endpoints);
  const head = new Head({ source, clock, log, random, pollMs: 500 });
  const isReset = isSequencerReset(endpoints);
  const deps = { source, store, head, clock, random, log, concurrency: 4, chainId: undefined, isReset };
  const indexer = new SequencerIndexer(deps);
  const watched = watchSequencer(endpoints, indexer, { clock, signal: stop.signal });
  work = Promise.all([head.run(stop.signal), indexer.run(stop.signal), watched]);
  const at = (height: number) =>
    eventually(() => indexer.state().height === height && indexer.state().problem === undefined, 30_000);
  const messages = () => lines.map(({ msg }) => msg);
  return { indexer, endpoints, at, messages };
}

// Defect: Explorer's index stopped with its only sequencer node
test('where a sequencer node goes away, the other one takes over and nothing is doubled', async () => {
  const [one, two] = [grown(5), grown(5)];
  const { at, messages } = followed(makeNode(one), makeNode(two));
  await at(5);
  one.isAway = true;
  for (let block = 0; block < 4; block += 1) for (const chain of [one, two]) chain.add();
  await at(9);
  one.isAway = false;
  two.isAway = true;
  for (let block = 0; block < 4; block += 1) for (const chain of [one, two]) chain.add();
  await at(13);
  expect(await count('blocks')).toBe(13);
  expect(messages()).toContain('switched to another sequencer endpoint');
});

test('a sequencer node that lags is left', async () => {
  const { at } = followed(makeNode(grown(3)), makeNode(grown(20)));
  await at(20);
  expect(await count('blocks')).toBe(20);
});

test('a sequencer node that claims blocks which it does not have is left', async () => {
  const honest = grown(8);
  const liar = makeNode(grown(3));
  const claiming = { ...liar, status: async () => ({ ...(await liar.status()), latestHeight: 9_000_000n }) };
  const { at, messages } = followed(claiming, makeNode(honest));
  await at(8);
  honest.add();
  await at(9);
  expect(messages()).toContain('a sequencer endpoint returned invalid data, not using it for a while');
});

test('a sequencer node of another chain id is not used', async () => {
  const { at, indexer } = followed(makeNode(grown(4)), makeNode(grown(30, 'one', 'other-chain')));
  await at(4);
  expect(indexer.state().chainId).toBe('test-chain');
});

test('the index stays where one of two sequencer nodes has another chain, and is filled again where both have', async () => {
  const [one, two] = [grown(6), grown(6)];
  const nodes = [makeNode(one), makeNode(two)];
  const changing = nodes.map((node) => ({ ...node }));
  const { at, messages } = followed(...changing);
  await at(6);
  const next = [grown(9, 'after'), grown(9, 'after')];
  Object.assign(changing[0] ?? {}, makeNode(next[0] ?? one));
  two.add();
  await at(7);
  const [row] = await store.read('SELECT hash FROM blocks WHERE height = 7');
  expect([row?.hash, await count('blocks')]).toEqual([two.hashAt(7), 7]);
  expect(messages()).not.toContain('the sequencer was reset, filling the index again');
  Object.assign(changing[1] ?? {}, makeNode(next[1] ?? two));
  await at(9);
  const [again] = await store.read('SELECT hash FROM blocks WHERE height = 7');
  expect(again?.hash).toBe(next[0]?.hashAt(7));
});

/** An explorer over these nodes of a rollup. */
function rollup(...nodes: readonly TestRollup[]) {
  const { log, lines } = memoryLogger();
  const endpoints = rollupEndpoints(
    nodes.map(({ node }) => node),
    { clock, log },
  );
  const reader = frameworkReader(getRollup(endpoints), store);
  const isReset = isRollupReset(endpoints);
  const indexer = new RollupIndexer({ reader, store, clock, wall: wallClock, random, log, pollMs: 500, isReset });
  work = Promise.all([indexer.run(stop.signal), watchRollup(endpoints, indexer, { clock, signal: stop.signal })]);
  const at = (number: number) =>
    eventually(() => indexer.state().number === number && indexer.state().problem === undefined, 30_000);
  return { indexer, at, messages: () => lines.map(({ msg }) => msg) };
}

const rollupAt = (soft: number, chain = 'one') => Object.assign(new TestRollup(), { soft, chain });

test('where a rollup node goes away or lags, the other one takes over', async () => {
  const [one, two] = [rollupAt(5), rollupAt(5)];
  const { at } = rollup(one, two);
  await at(5);
  one.isAway = true;
  two.soft = 9;
  await at(9);
  one.isAway = false;
  one.soft = 60;
  await at(60);
  expect(await count('rollup_blocks')).toBe(60);
});

test('a rollup node that claims blocks which it does not have is left', async () => {
  const [liar, honest] = [rollupAt(3), rollupAt(8)];
  const { head } = liar.node;
  Object.assign(liar.node, { head: async (signal: AbortSignal) => ({ ...(await head(signal)), soft: 9_000_000 }) });
  const { at } = rollup(liar, honest);
  await at(8);
});

test('the part of a rollup stays where one of its two nodes has another chain', async () => {
  const [one, two] = [rollupAt(6), rollupAt(6)];
  const { at, messages } = rollup(one, two);
  await at(6);
  Object.assign(one, { chain: 'two', soft: 12 });
  two.soft = 7;
  await at(7);
  expect(messages()).not.toContain('the rollup was reset, filling its part of the index again');
});
