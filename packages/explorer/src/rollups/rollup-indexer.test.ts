import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollupIdFromName } from '@switchyard/protocol';
import { Notifier, silentLogger, systemClock, wallClock } from '@switchyard/service';
import { eventually, type ManualClock, manualClock, memoryLogger } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmbeddedStore } from '../store/embedded.ts';
import { getHash, TestRollup } from '../testing/rollup.ts';
import { frameworkReader } from './framework-reader.ts';
import { RollupIndexer } from './rollup-indexer.ts';

let directory: string;
let store: EmbeddedStore;
let stop: () => Promise<unknown>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
  store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
});
afterEach(async () => {
  await stop();
  await store.close();
  rmSync(directory, { recursive: true });
});

function follow(rollup: TestRollup, log = silentLogger, manual?: ManualClock, news?: Notifier) {
  const over = new AbortController();
  const deps = {
    clock: manual ?? systemClock,
    wall: manual ?? wallClock,
    random: () => (manual === undefined ? 0 : 0.999),
    pollMs: 1,
    ...(news && { news }),
  };
  const reader = frameworkReader(rollup.node, store);
  const indexer = new RollupIndexer({ ...deps, reader, store, log });
  const work = indexer.run(over.signal);
  stop = () => {
    over.abort(new Error('the test is over'));
    return work;
  };
  return indexer;
}

const at = (indexer: RollupIndexer, number: number) =>
  eventually(() => indexer.state().number === number && indexer.state().problem === undefined, 30_000);
const count = async (table: string) => (await store.read(`SELECT COUNT(*) AS number FROM ${table}`))[0]?.number;

test('has the blocks of a rollup, what they refused, and skipped deposits, each once', async () => {
  const rollup = new TestRollup();
  rollup.soft = 10;
  const indexer = follow(rollup);
  await at(indexer, 10);
  rollup.soft = 13;
  await at(indexer, 13);
  expect([await count('rollup_blocks'), await count('refusals'), await count('skipped_deposits')]).toEqual([13, 4, 4]);
  const [old] = await store.read('SELECT seen FROM rollup_blocks WHERE number = 3');
  const [fresh] = await store.read('SELECT seen FROM rollup_blocks WHERE number = 13');
  // Blocks from before its first look have no time of arrival.
  expect([old?.seen, Number(fresh?.seen) > 0]).toEqual([0, true]);
});

test('a rollup that does not change is asked less often, until there is news', async () => {
  const rollup = new TestRollup();
  rollup.soft = 5;
  const [clock, news] = [manualClock(), new Notifier()];
  const indexer = follow(rollup, silentLogger, clock, news);
  await at(indexer, 5);
  await clock.advance(10_000);
  const before = rollup.asked;
  for (let seconds = 0; seconds < 60; seconds += 1) await clock.advance(1_000);
  expect(rollup.asked - before).toBeGreaterThan(10);
  expect(rollup.asked - before).toBeLessThan(20);
  rollup.soft = 6;
  news.notify();
  await at(indexer, 6);
});

test('a rollup that is away is waited for, with since when, and read on from where it was', async () => {
  const rollup = new TestRollup();
  rollup.soft = 5;
  const indexer = follow(rollup);
  await at(indexer, 5);
  rollup.isAway = true;
  await eventually(() => indexer.state().awaySince !== undefined, 30_000);
  expect(indexer.state()).toMatchObject({ number: 5, problem: 'the rollup does not answer' });
  rollup.soft = 9;
  rollup.isAway = false;
  await at(indexer, 9);
  expect([await count('rollup_blocks'), indexer.state().awaySince]).toEqual([9, undefined]);
});

test('one that is away for a day costs two log lines and few requests, and then the blocks of a day', async () => {
  const rollup = new TestRollup();
  rollup.soft = 3;
  const clock = manualClock();
  const { log, lines } = memoryLogger();
  const indexer = follow(rollup, log, clock);
  await at(indexer, 3);
  rollup.isAway = true;
  const before = rollup.asked;
  const [since] = [clock.unixMs()];
  for (let minute = 0; minute < 24 * 60; minute += 1) await clock.advance(60_000);
  // Once in ten seconds at most, after a few at shorter distances.
  expect(rollup.asked - before).toBeGreaterThan(1_000);
  expect(rollup.asked - before).toBeLessThan(24 * 60 * 6 + 20);
  const { awaySince = 0, problem } = indexer.state();
  expect([problem, awaySince - since < 60_000]).toEqual(['the rollup does not answer', true]);
  rollup.soft = 5_003;
  rollup.isAway = false;
  await clock.advance(10_000);
  await at(indexer, 5_003);
  expect(await count('rollup_blocks')).toBe(5_003);
  expect(lines.map(({ msg }) => msg)).toEqual(['the rollup cannot be read, trying again', 'the rollup answers again']);
});

// Defect: Rollup hidden when the explorer started while its node was away
test('what the index has of a rollup is shown when the explorer starts while its node is away', async () => {
  const rollup = new TestRollup();
  rollup.soft = 5;
  await at(follow(rollup), 5);
  await stop();
  rollup.isAway = true;
  const indexer = follow(rollup);
  await eventually(() => indexer.state().awaySince !== undefined, 30_000);
  expect(indexer.state()).toMatchObject({
    ...{ number: 5, problem: 'the rollup does not answer' },
    head: { name: 'chat', id: rollupIdFromName('chat'), chainId: 'chat', soft: 5 },
  });
  rollup.soft = 7;
  rollup.isAway = false;
  await at(indexer, 7);
});

test.each([
  ['shorter', 4],
  ['longer', 12],
])('a rollup that was reset, and is %s now, is filled again', async (_, soft) => {
  const rollup = new TestRollup();
  rollup.soft = 9;
  const { log, lines } = memoryLogger();
  const indexer = follow(rollup, log);
  await at(indexer, 9);
  Object.assign(rollup, { chain: 'two', soft });
  await at(indexer, soft);
  expect(await count('rollup_blocks')).toBe(soft);
  expect(await store.read('SELECT hash FROM rollup_blocks WHERE number = 2')).toMatchObject([
    { hash: getHash('two 2') },
  ]);
  expect(lines.map(({ msg }) => msg)).toContain('the rollup was reset, filling its part of the index again');
});

test('blocks that the node no longer has are left out', async () => {
  const rollup = new TestRollup();
  Object.assign(rollup, { soft: 9, lowest: 5 });
  await at(follow(rollup), 9);
  const rows = await store.read('SELECT number FROM rollup_blocks ORDER BY number');
  expect(rows.map(({ number }) => number)).toEqual([5, 6, 7, 8, 9]);
});

// Defect: Explorer's data of a rollup removed because of a node that was behind
test('a node that is behind the index is waited for', async () => {
  const rollup = new TestRollup();
  rollup.soft = 9;
  const { log, lines } = memoryLogger();
  const indexer = follow(rollup, log);
  await at(indexer, 9);
  rollup.soft = 4;
  const wanted = rollup.asked;
  await eventually(() => rollup.asked > wanted + 3, 30_000);
  expect([indexer.state().number, await count('rollup_blocks')]).toEqual([9, 9]);
  rollup.soft = 11;
  await at(indexer, 11);
  expect(lines.map(({ msg }) => msg)).not.toContain('the rollup was reset, filling its part of the index again');
});
