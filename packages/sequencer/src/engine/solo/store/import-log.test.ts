import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStores, StoreFile, verifyStore } from '@switchyard/storage';
import { afterEach, expect, test } from 'vitest';
import type { BlockStore, NewBlock } from './block-store.ts';
import { importLog } from './import-log.ts';
import { expectedAt, newDirectory, storedAt, storeOpener, testBlocks } from './testing.ts';

/*
 * `testdata/solo-block-log` was written by the version before: two blocks in a file of the oldest form, ten and six in files
 * with short records, and the beginning of a record that a crash cut short.
 */
const FIXTURE = join(import.meta.dirname, '../../../../testdata/solo-block-log');

const idle = (count: number): Uint8Array[][] => Array.from({ length: count }, () => []);
const text = (...texts: string[]): Uint8Array[] => texts.map((each) => Buffer.from(each));
const BLOCKS = testBlocks([...idle(2), text('transfer 1'), ...idle(6), text('transfer 2', 'transfer 3'), ...idle(8)]);

const openStore = storeOpener();
const logged: string[] = [];
afterEach(() => void logged.splice(0));
const note = (_: object, sentence: string) => void logged.push(sentence);
const log = { info: note, warn: note, error: note, debug: note };
const { signal } = new AbortController();

async function oldDirectory(): Promise<string> {
  const directory = newDirectory();
  cpSync(FIXTURE, join(directory, 'blocks'), { recursive: true });
  await new StoreFile<Uint8Array>(join(directory, 'index'), 'block-index', { keys: 'binary' }).close();
  return directory;
}

function expectAll(store: BlockStore, blocks: readonly NewBlock[]): void {
  expect([store.first, store.height]).toEqual([1n, BigInt(blocks.length)]);
  for (const block of blocks) {
    const { height, hash } = block.record;
    expect(storedAt(store, height)).toEqual(expectedAt(block));
    expect(store.heightOf(hash)).toBe(height);
    for (const txHash of block.txHashes) expect(store.findTx(txHash)?.height).toBeGreaterThanOrEqual(height);
  }
}

test('the blocks of an earlier version are taken over to the byte, and its files go', async () => {
  const directory = await oldDirectory();
  // A check before the first start must not call the index damaged.
  const [found] = findStores(directory);
  expect(verifyStore(found?.directory ?? '', found?.kind).problems).toEqual([]);
  const store = openStore(directory);
  await importLog(directory, store, { log, signal });
  expectAll(store, BLOCKS);
  expect(store.findTx(BLOCKS[9]?.txHashes[3] ?? new Uint8Array())).toEqual({ height: 10n, index: 3 });
  expect(readdirSync(directory).sort()).toEqual(['data.mdb', 'lock.mdb', 'store.json']);
  expect(logged).toEqual([
    'taking over the blocks of an earlier version',
    'left out a block that was not completely written',
  ]);
  await importLog(directory, store, { log, signal });
  expect(logged).toHaveLength(2);
});

test.each([1, 2, 5, 18])('resumes where it was killed, after %i blocks', async (count) => {
  const directory = await oldDirectory();
  const killed = openStore(directory);
  await killed.append(BLOCKS.slice(0, count));
  await killed.close();
  const store = openStore(directory);
  await importLog(directory, store, { log, signal });
  expectAll(store, BLOCKS);
  expect(existsSync(join(directory, 'blocks'))).toBe(false);
});

test('a stop in the middle leaves the rest for the next start', async () => {
  const directory = await oldDirectory();
  const store = openStore(directory);
  const controller = new AbortController();
  controller.abort();
  await importLog(directory, store, { log, signal: controller.signal });
  expect(existsSync(join(directory, 'blocks'))).toBe(true);
  await importLog(directory, store, { log, signal });
  expectAll(store, BLOCKS);
});

test.each([
  ['the first file', 0, 2_000],
  ['a whole record', 1, 2_000],
  ['a short record', 1, 14_000],
])('damage in %s stops it, and the old files stay', async (_, file, at) => {
  const directory = await oldDirectory();
  const path = join(directory, 'blocks', readdirSync(FIXTURE).sort()[file] ?? '');
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const importing = importLog(directory, openStore(directory), { log, signal });
  await expect(importing).rejects.toThrow(/is damaged: the record at byte \d+ is not what was written; restore/);
  expect(readdirSync(join(directory, 'blocks'))).toEqual(readdirSync(FIXTURE));
});
