import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { decodePosted, encodePosted, newlyPosted, type Posted, postedBlocks } from './posted.ts';
import { firstState, type Pending } from './state.ts';
import { openStateStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'relayer-posted-'));
afterAll(() => rmSync(directory, { recursive: true }));

const record = (from: bigint, height: bigint, daHeight: bigint, entry = 0): Posted => ({
  ...{ from, to: { height, entry }, daHeight, at: 1_700_000_000_123 },
});
const heights = (records: readonly Posted[], from: bigint, to: bigint) =>
  postedBlocks(records, from, to).map(({ height, daHeight }) => [height, daHeight]);

test('each block of a transaction is at its height, and none outside of the range is given', () => {
  const records = [record(3n, 5n, 20n), record(5n, 8n, 22n), record(8n, 9n, 25n)];
  expect(heights(records, 4n, 7n)).toEqual([
    [4n, 20n],
    [5n, 22n],
    [6n, 22n],
    [7n, 22n],
  ]);
  expect(heights(records, 1n, 2n)).toEqual([]);
  expect(heights(records, 9n, 20n)).toEqual([]);
});

test('a block that is divided is there with its last part, at the greatest of their heights', () => {
  const parts = [record(5n, 5n, 22n, 3), record(5n, 5n, 21n, 7)];
  expect(heights(parts, 5n, 5n)).toEqual([]);
  expect(heights([...parts, record(5n, 7n, 20n)], 5n, 6n)).toEqual([
    [5n, 22n],
    [6n, 20n],
  ]);
});

test('what is behind a transaction that is in no block is not posted yet', () => {
  const under = (to: bigint, daHeight: bigint | undefined): Pending => ({
    ...{
      id: '',
      bytes: new Uint8Array(),
      lastHeight: 0n,
      fee: 0n,
      hash: undefined,
      daHeight,
      to: { height: to, entry: 0 },
    },
  });
  const state = firstState('c', 'l', 5n);
  const flight = [under(6n, 30n), under(9n, 31n), under(12n, undefined), under(13n, 32n)];
  expect(newlyPosted(state, flight, 7)).toEqual([
    { from: 5n, to: { height: 6n, entry: 0 }, daHeight: 30n, at: 7 },
    { from: 6n, to: { height: 9n, entry: 0 }, daHeight: 31n, at: 7 },
  ]);
});

test('a record on disk is read as it was written', () => {
  const each = record(2n ** 40n, 2n ** 40n + 1n, 9n, 5);
  expect(decodePosted(encodePosted(each))).toEqual(each);
});

test('a store finds blocks after it was opened again, and forgets those far behind', async () => {
  const path = join(directory, 'db');
  const state = firstState('c', 'l', 1n);
  const first = openStateStore(path);
  await first.write({ ...state, next: { height: 4n, entry: 0 } }, [record(1n, 4n, 8n)]);
  await first.write({ ...state, next: { height: 6n, entry: 0 } }, [record(4n, 5n, 9n), record(5n, 6n, 11n)]);
  await first.close();
  const store = openStateStore(path);
  const at = 1_700_000_000_123;
  expect(store.posted(3n, 5n)).toEqual([
    { height: 3n, daHeight: 8n, at },
    { height: 4n, daHeight: 9n, at },
    { height: 5n, daHeight: 11n, at },
  ]);
  const far = 1_000_006n;
  await store.write({ ...state, next: { height: far, entry: 0 } }, [record(6n, far, 20n)]);
  expect(store.posted(3n, 6n).map(({ height }) => height)).toEqual([5n, 6n]);
  await store.close();
});
