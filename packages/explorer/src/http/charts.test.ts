import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Notifier, silentLogger, wallClock } from '@switchyard/service';
import { manualClock } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmbeddedStore } from '../store/embedded.ts';
import { insert } from '../store/statements.ts';
import { testApi } from '../testing/api.ts';

let directory: string;
let store: EmbeddedStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
  store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const ROLLUPS = ['aa'.repeat(32), 'bb'.repeat(32)];
const HEIGHT_COLUMNS = ['height', 'hash', 'time', 'proposer', 'transactions', 'failed', 'size', 'submissions'];

/** Blocks two seconds apart; every fifth one carries 10 bytes of one rollup and 30 of another, and pays 7 nria. */
async function fill(from: number, to: number): Promise<void> {
  const heights = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const full = heights.filter((height) => height % 5 === 0);
  await store.write([
    ...insert(
      'blocks',
      [...HEIGHT_COLUMNS, 'submission_bytes', 'deposits', 'fees'],
      heights.map((height) => {
        const isFull = height % 5 === 0;
        const fees = isFull ? '[{"asset":"nria","amount":"7"}]' : '[]';
        return [
          height,
          `${height}`,
          height * 2_000,
          '',
          isFull ? 2 : 0,
          0,
          100,
          isFull ? 2 : 0,
          isFull ? 40 : 0,
          0,
          fees,
        ];
      }),
    ),
    ...insert(
      'block_rollups',
      ['rollup', 'height', 'submissions', 'bytes', 'deposits'],
      full.flatMap((height) => ROLLUPS.map((rollup, index) => [rollup, height, 1, index === 0 ? 10 : 30, 0])),
    ),
  ]);
}

function charts(height: number) {
  const [clock, changed] = [manualClock(), new Notifier()];
  const state = { chainId: 'test', height, latest: height, problem: undefined };
  return { clock, state, ...testApi({ store, sequencer: { state: () => state, changed } }, clock) };
}

test('of a young chain there is a point for each block', async () => {
  await fill(1, 12);
  const { body } = await charts(12).get('/v1/charts');
  expect(body.points.map(({ height }: { height: number }) => height)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(body.points[0]).toMatchObject({ blockTimeMs: null, transactions: 0, fees: [] });
  expect(body.points[4]).toMatchObject({
    ...{ blockTimeMs: 2_000, transactions: 2, submissionBytes: 40, bytes: 100 },
    fees: [{ asset: 'nria', amount: '7' }],
  });
});

test('a longer range has sums of whole groups of blocks, and no more points', async () => {
  await fill(1, 1_234);
  const { body } = await charts(1_234).get('/v1/charts?blocks=1000');
  expect(body.points).toHaveLength(100);
  expect([body.points[0].height, body.points.at(-1).height]).toEqual([249, 1_234]);
  expect(body.points[0]).toMatchObject({
    ...{ blocks: 10, blockTimeMs: 2_000, transactions: 4, submissionBytes: 80 },
    fees: [{ asset: 'nria', amount: '14' }],
  });
  expect(body.points.at(-1)).toMatchObject({ blocks: 5, blockTimeMs: 2_000 });
  expect(body.rollups.map(({ rollup, bytes }: { rollup: string; bytes: number }) => [rollup, bytes])).toEqual([
    [ROLLUPS[1], 5_970],
    [ROLLUPS[0], 1_990],
  ]);
  expect(body.rollups[0].points[0]).toEqual({ point: 24, bytes: 60, submissions: 2 });
});

test.each(['', '99', '1e3', '1000000'])('refuses a range of %j blocks', async (blocks) => {
  const { status, body } = await charts(1).get(`/v1/charts?blocks=${blocks}`);
  expect([status, body.detail]).toEqual([400, expect.stringContaining('expected one of 100, 1000, 10000')]);
});

test('is computed once for many readers, and again when it is old', async () => {
  await fill(1, 3);
  let reads = 0;
  const counting = {
    read(...args: Parameters<typeof store.read>) {
      reads += 1;
      return store.read(...args);
    },
  };
  const clock = manualClock();
  const state = { chainId: 'test', height: 3, latest: 3, problem: undefined };
  const { get } = testApi({ store: counting, sequencer: { state: () => state, changed: new Notifier() } }, clock);
  await get('/v1/charts');
  const once = reads;
  await Promise.all([get('/v1/charts'), get('/v1/charts'), get('/v1/charts')]);
  expect(reads).toBe(once);
  await clock.advance(600);
  await get('/v1/charts');
  expect(reads).toBe(2 * once);
});
