import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RollupId, rollupIdFromName, sha256Hex, type TxHash } from '@switchyard/protocol';
import { alice } from '@switchyard/protocol/testing';
import { silentLogger, wallClock } from '@switchyard/service';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmbeddedStore } from '../store/embedded.ts';
import type { BlockFacts } from './block-facts.ts';
import { blockRows } from './block-rows.ts';
import { findSubmissionPlaces, HashRuns, heightsIn, runRows } from './hash-runs.ts';

let directory: string;
let store: EmbeddedStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-runs-'));
  store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const ROLLUPS = ['chat', 'game'].map(rollupIdFromName);
const getHash = (seed: number) => sha256Hex(Buffer.from(`${seed}`)) as TxHash;
const none = { transactions: [], deposits: [], withdrawals: [], bridges: [], lastCommit: undefined };

/** A block whose submissions have these hashes, in turn of one rollup and of the other. */
function makeBlock(height: number, hashes: readonly TxHash[]): BlockFacts {
  const submissions = hashes.map((hash, index) => {
    const rollup = ROLLUPS[index % 2] as RollupId;
    return { rollup, hash, size: 1, transaction: 2 };
  });
  const ids = { hash: getHash(-height), parentHash: '', proposer: alice.account };
  return { ...none, ...ids, height, time: height, size: 1, submissions };
}

/** Positions of the submissions with a hash, found by looking at all of them. */
function getPlaces(blocks: readonly BlockFacts[], hash: TxHash) {
  const rows = blocks.flatMap(({ height, submissions }) => {
    const positions = new Map<string, number>();
    return submissions.map(({ rollup, hash: own }) => {
      const position = positions.get(rollup) ?? 0;
      positions.set(rollup, position + 1);
      return { rollup, height, position, hash: own };
    });
  });
  const order = (row: (typeof rows)[number]) => [String(row.height).padStart(9, '0'), row.rollup, row.position].join();
  return rows.filter((row) => row.hash === hash).sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

test('every submission is found wherever runs, starts and failures fall', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          sizes: fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }),
          fails: fc.boolean(),
          restarts: fc.boolean(),
        }),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      fc.integer({ min: 1, max: 20 }),
      async (batches, runSize) => {
        const tables = ['blocks', 'block_rollups', 'rollups', 'submissions', 'hash_runs', 'hash_run_ends'];
        await store.write(tables.map((table) => ({ sql: `DELETE FROM ${table}`, params: [] })));
        let runs = new HashRuns(store, runSize);
        const blocks: BlockFacts[] = [];
        let seed = 0;
        for (const { sizes, fails, restarts } of batches) {
          if (restarts) runs = new HashRuns(store, runSize);
          // Some hashes come again, in other blocks and in the same one.
          const fresh = sizes.map((size, index) =>
            makeBlock(
              blocks.length + 1 + index,
              Array.from({ length: size }, () => getHash(seed++ % 7 === 0 ? 1 : seed)),
            ),
          );
          const height = fresh.at(-1)?.height ?? 0;
          if (fails) {
            await runs.add(fresh, height);
            runs.reset();
          }
          await store.write([...fresh.flatMap(blockRows), ...(await runs.add(fresh, height))]);
          blocks.push(...fresh);
        }
        const all = [...new Set(blocks.flatMap(({ submissions }) => submissions.map(({ hash }) => hash))), getHash(-1)];
        for (const hash of all) {
          const expected = getPlaces(blocks, hash);
          expect(await findSubmissionPlaces(store, hash, 100)).toEqual(expected);
          expect(await findSubmissionPlaces(store, hash, 2)).toEqual(expected.slice(0, 2));
        }
        const written = blocks.reduce((sum, { submissions }) => sum + submissions.length, 0);
        const [{ number } = {}] = await store.read('SELECT COUNT(*) AS number FROM hash_run_ends');
        expect(Number(number) > 0 || written < runSize).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

test('entries with one key are in one row, however many there are', () => {
  const entry = (key: number, height: number) =>
    key.toString(16).padStart(16, '0') + height.toString(16).padStart(12, '0');
  const many = Array.from({ length: 500 }, (_, height) => entry(7, height));
  const others = Array.from({ length: 200 }, (_, key) => entry(100 + key, 3));
  const rows = runRows([entry(1, 9), ...many, ...others]);
  const holding = rows.filter(({ entries }) => heightsIn(entries, entry(7, 0)).length > 0);
  expect(holding.map(({ entries }) => heightsIn(entries, entry(7, 0)))).toEqual([many.map((_, height) => height)]);
  expect(rows.flatMap(({ entries }) => heightsIn(entries, entry(299, 0)))).toEqual([3]);
});
