import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollupIdFromName, sha256, toHex, txHashOf } from '@switchyard/protocol';
import { silentLogger, systemClock, TransportFailure, wallClock } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmbeddedStore } from '../store/embedded.ts';
import { RollupIndexer } from './rollup-indexer.ts';
import type { RollupBlock, RollupNode } from './rollup-node.ts';

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

const hashOf = (text: string) => toHex(sha256(new TextEncoder().encode(text)));

/** A rollup whose blocks a test makes; each third one refuses a transaction and skips a deposit. */
class TestRollup {
  isAway = false;
  chain = 'one';
  soft = 0;
  lowest = 1;

  readonly node: RollupNode = {
    url: 'http://rollup.test',
    head: async () => {
      this.#mustAnswer();
      const { soft, lowest } = this;
      return { name: 'chat', id: rollupIdFromName('chat'), chainId: 'chat', soft, firm: soft, lowest };
    },
    block: async (number): Promise<RollupBlock> => {
      this.#mustAnswer();
      if (number > this.soft || number < this.lowest) throw new Error(`no block ${number}`);
      const refusals =
        number % 3 === 0 ? [{ index: 1, hash: txHashOf(new Uint8Array([number])), code: 7, reason: 'bad' }] : [];
      return {
        number,
        hash: hashOf(`${this.chain} ${number}`),
        parentHash: hashOf(`${this.chain} ${number - 1}`),
        time: number * 1_000,
        sequencerBlockHash: hashOf(`sequencer ${number}`),
        executed: 1,
        refused: refusals.length,
        deposits: 0,
        skippedDeposits: refusals.length,
        refusals,
      };
    },
    skippedDeposits: async (after = 0) => {
      this.#mustAnswer();
      const last = Math.floor(this.soft / 3);
      return Array.from({ length: Math.max(0, last - after) }, (_, index) => {
        const id = after + 1 + index;
        return { id, block: 3 * id, transaction: txHashOf(new Uint8Array([id])), action: 0, reason: 'unknown bridge' };
      });
    },
    get: async () => undefined,
  };

  #mustAnswer(): void {
    if (this.isAway) throw new TransportFailure('no answer');
  }
}

function follow(rollup: TestRollup, log = silentLogger) {
  const over = new AbortController();
  const deps = { clock: systemClock, wall: wallClock, random: () => 0, concurrency: 4, pollMs: 1 };
  const indexer = new RollupIndexer({ ...deps, node: rollup.node, store, log });
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
  // What was there before it looked has no time at which it came.
  expect([old?.seen, Number(fresh?.seen) > 0]).toEqual([0, true]);
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
    { hash: hashOf('two 2') },
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
