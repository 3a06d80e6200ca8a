import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockStore } from './block-store.ts';
import { COMPACT_BYTES } from './compact.ts';
import { encodeRecord } from './record.ts';
import { appendAll, expectedAt, newDirectory, storedAt, storeOpener, type TestBlock, testBlocks } from './testing.ts';

const openStore = storeOpener();

const filesOf = (directory: string) => readdirSync(join(directory, 'blocks')).sort();

function bytesIn(directory: string): number {
  return filesOf(directory).reduce((sum, name) => sum + statSync(join(directory, 'blocks', name)).size, 0);
}

async function expectAll(store: BlockStore, blocks: readonly TestBlock[]): Promise<void> {
  for (const block of blocks) expect(await storedAt(store, block.record.height)).toEqual(expectedAt(block));
}

const idle = (count: number): Uint8Array[][] => Array.from({ length: count }, () => []);
const busy = (index: number): Uint8Array[] => [Buffer.from(`transfer ${index}`)];

test('an idle block takes a short record, and reads the same to the byte', async () => {
  const blocks = testBlocks(idle(200));
  const directory = newDirectory();
  const store = await openStore(directory);
  await appendAll(store, blocks.slice(0, 10));
  const before = bytesIn(directory);
  await appendAll(store, blocks.slice(10));
  expect(bytesIn(directory) - before).toBe(190 * COMPACT_BYTES);
  await expectAll(store, blocks);
});

test('whatever is in the blocks, and wherever files end, restarts and a lost index change nothing that is read', async () => {
  const contents = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 40 },
  );
  const limits = fc.record({
    segmentBytes: fc.integer({ min: 1_000, max: 40_000 }),
    segmentHeights: fc.integer({ min: 1, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(contents, limits, fc.double({ min: 0, max: 1, noNaN: true }), async (lists, limits, share) => {
      const blocks = testBlocks(lists);
      const directory = newDirectory();
      const first = await BlockStore.open(directory, limits);
      const split = Math.floor(share * blocks.length);
      await appendAll(first, blocks.slice(0, split));
      await first.close();
      const second = await BlockStore.open(directory, limits);
      await appendAll(second, blocks.slice(split));
      await expectAll(second, blocks);
      const copy = newDirectory();
      cpSync(directory, copy, { recursive: true });
      await second.close();
      rmSync(join(copy, 'index'), { recursive: true });
      const third = await BlockStore.open(copy, limits);
      await expectAll(third, blocks);
      for (const { record, txHashes } of blocks) {
        expect(third.heightOf(record.hash)).toBe(record.height);
        for (const hash of txHashes) {
          const found = third.findTx(hash);
          expect(found && (await third.readTx(found))).toMatchObject({ height: found?.height, index: found?.index });
        }
      }
      await third.close();
    }),
    { numRuns: 15 },
  );
});

test('a directory from before the short form opens, and continues in a new file', async () => {
  const blocks = testBlocks([...idle(3), busy(1), ...idle(20)]);
  const directory = newDirectory();
  const made = await BlockStore.open(directory);
  await made.close();
  const old = blocks.slice(0, 6).map(({ record, txHashes }) => Buffer.concat(encodeRecord(record, txHashes.length)));
  writeFileSync(join(directory, 'blocks', '0000000000000001.blocks'), Buffer.concat(old));
  const store = await openStore(directory);
  expect(store.height).toBe(6n);
  await appendAll(store, blocks.slice(6));
  await expectAll(store, blocks);
  expect(filesOf(directory)).toEqual(['0000000000000001.blocks', '0000000000000007.segment']);
  expect(readFileSync(join(directory, 'blocks', '0000000000000001.blocks'))).toEqual(Buffer.concat(old));
});

test('a short record that a crash cut short is dropped', async () => {
  const blocks = testBlocks(idle(12));
  const directory = newDirectory();
  const store = await openStore(directory);
  await appendAll(store, blocks);
  for (const cut of [1, 100, COMPACT_BYTES - 1]) {
    const copy = newDirectory();
    cpSync(directory, copy, { recursive: true });
    const file = join(copy, 'blocks', filesOf(copy).at(-1) ?? '');
    writeFileSync(file, readFileSync(file).subarray(0, -cut));
    const again = await openStore(copy);
    expect([again.height, again.dropped]).toEqual([11n, COMPACT_BYTES - cut]);
    await appendAll(again, blocks.slice(11));
    await expectAll(again, blocks);
  }
});

test.each([
  ['its own', 1, 10n],
  ['the one before it', 2, 10n],
])('a flipped bit in %s record is noticed, and not read as something else', async (_, back, height) => {
  const blocks = testBlocks(idle(10));
  const directory = newDirectory();
  const store = await openStore(directory);
  await appendAll(store, blocks);
  const file = join(directory, 'blocks', filesOf(directory)[0] ?? '');
  const bytes = readFileSync(file);
  const at = bytes.length - back * COMPACT_BYTES + 120;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect(() => store.signedHeader(height)).toThrow('stored block is damaged');
  expect(() => store.state(height)).toThrow('stored block is damaged');
});
