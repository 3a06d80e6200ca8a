import { closeSync, cpSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBlock, sha256 } from '@switchyard/protocol';
import { repairStore, StoreDamaged, StoreFile, StoreScrub, verifyStore } from '@switchyard/storage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockStore, type NewBlock } from './block-store.ts';
import { decodeResults } from './results.ts';
import { appendAll, expectedAt, newDirectory, storedAt, storeOpener, testBlocks, usedBytes } from './testing.ts';

const openStore = storeOpener();

const idle = (count: number): Uint8Array[][] => Array.from({ length: count }, () => []);
const busy = (count: number): Uint8Array[][] =>
  Array.from({ length: count }, (_, index) => [Buffer.from(`transfer ${index}`)]);
const getFile = (directory: string) => join(directory, 'data.mdb');

function expectAll(store: BlockStore, blocks: readonly NewBlock[]): void {
  const last = new Map<string, bigint>();
  for (const { record, txHashes } of blocks) {
    for (const hash of txHashes) last.set(Buffer.from(hash).toString('hex'), record.height);
  }
  for (const block of blocks) {
    const { height, hash, block: bytes } = block.record;
    expect(storedAt(store, height)).toEqual(expectedAt(block));
    expect(store.findHeight(hash)).toBe(height);
    expect(store.meta(height)).toMatchObject({ txCount: block.txHashes.length, blockBytes: bytes.length });
    for (const txHash of block.txHashes) {
      const found = store.findTx(txHash);
      expect(found?.height).toBe(last.get(Buffer.from(txHash).toString('hex')));
      const { txs } = decodeBlock(store.block(found?.height ?? 0n) ?? new Uint8Array());
      expect(sha256(txs[found?.index ?? -1] ?? new Uint8Array())).toEqual(txHash);
    }
  }
}

/** Copies the files that a process killed now would leave behind. */
function afterKill(directory: string): string {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

/** In place, since a process may have mapped the file. */
function flip(directory: string, text: string): void {
  const bytes = readFileSync(getFile(directory));
  const file = openSync(getFile(directory), 'r+');
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    writeSync(file, Buffer.of((bytes[at] ?? 0) ^ 1), 0, 1, at);
  }
  closeSync(file);
}

test('whatever is in the blocks, restarts and kills change nothing that is read', async () => {
  const contents = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(contents, fc.double({ min: 0, max: 1, noNaN: true }), async (lists, share) => {
      const blocks = testBlocks(lists);
      const directory = newDirectory();
      const split = Math.floor(share * blocks.length);
      const first = new BlockStore(directory);
      await first.append(blocks.slice(0, split));
      await first.close();
      const second = new BlockStore(directory);
      await appendAll(second, blocks.slice(split));
      expectAll(second, blocks);
      const third = new BlockStore(afterKill(directory));
      expect([third.first, third.height]).toEqual([second.first, second.height]);
      expectAll(third, blocks);
      await third.close();
      await second.close();
    }),
    { numRuns: 15 },
  );
});

test('answers nothing for heights and hashes it does not have', async () => {
  const store = openStore(newDirectory());
  expect([store.first, store.height, store.signedHeader(1n), store.block(0n)]).toEqual([0n, 0n, undefined, undefined]);
  const blocks = testBlocks([...idle(4), ...busy(2)]).slice(4);
  await appendAll(store, blocks);
  expect([store.first, store.height]).toEqual([5n, 6n]);
  expect([store.signedHeader(4n), store.state(7n), store.results(-1n)]).toEqual([undefined, undefined, undefined]);
  expect([store.findTx(sha256(Buffer.from('?'))), store.findHeight(new Uint8Array(32))]).toEqual([
    undefined,
    undefined,
  ]);
  const near = Uint8Array.from(blocks[0]?.record.hash ?? []);
  near[31] = (near[31] ?? 0) ^ 1;
  expect(store.findHeight(near)).toBeUndefined();
  expect(decodeResults(store.results(6n) ?? new Uint8Array()).txs).toHaveLength(3);
});

test('refuses a block that does not follow the last one', async () => {
  const [first, , third] = testBlocks(idle(3)) as [NewBlock, NewBlock, NewBlock];
  const store = openStore(newDirectory());
  await store.append([first]);
  await expect(store.append([third])).rejects.toThrow('block out of order: expected=2 got=3');
});

test('an idle block adds at most 330 bytes to the file', async () => {
  const blocks = testBlocks(idle(1_200));
  const directory = newDirectory();
  const store = openStore(directory);
  await appendAll(store, blocks.slice(0, 200));
  const before = usedBytes(getFile(directory));
  await appendAll(store, blocks.slice(200));
  const rate = (usedBytes(getFile(directory)) - before) / 1_000;
  expect(rate).toBeLessThan(330);
});

test('a damaged block is found before anything is served from it', async () => {
  const directory = newDirectory();
  const store = openStore(directory);
  await appendAll(store, testBlocks(busy(5)));
  await store.close();
  flip(directory, 'transfer 2');
  expect(() => new BlockStore(directory)).toThrow(
    /data\.mdb is damaged: table blocks, key 0x0000000000000003: the checksum .*; repair it with `switchyard repair/,
  );
});

test('damage below a running engine is reported by the read that meets it, and found by the scrubber', async () => {
  const directory = newDirectory();
  const reported: StoreDamaged[] = [];
  const store = openStore(directory, { onDamage: (error) => void reported.push(error) });
  const blocks = testBlocks(busy(30));
  await appendAll(store, blocks);
  flip(directory, 'transfer 15');
  expect(() => store.block(16n)).toThrow(StoreDamaged);
  expect(reported.map(({ message }) => message)).toEqual([
    expect.stringContaining('table blocks, key 0x0000000000000010: the checksum of the record is wrong'),
  ]);
  expect(storedAt(store, 17n)).toEqual(expectedAt(blocks[16] as NewBlock));
  const scrub = new StoreScrub(directory, 'blocks');
  expect(() => {
    while (!scrub.step(10_000_000).done);
  }).toThrow(StoreDamaged);
});

test('a file that lacks blocks is not opened', async () => {
  const directory = newDirectory();
  const store = openStore(directory);
  await appendAll(store, testBlocks(idle(9)));
  await store.close();
  const file = new StoreFile<Uint8Array>(directory, 'blocks', { keys: 'binary' });
  await file.table('rows').remove(Buffer.from('0000000000000004', 'hex'));
  await file.close();
  expect(() => new BlockStore(directory)).toThrow('of the blocks from 1 to 9 some are missing');
});

test('a repair takes lost blocks from the newest copy that has them, and changes nothing where none has', async () => {
  const blocks = testBlocks([...busy(8), ...idle(8)]);
  const directory = newDirectory();
  const store = openStore(directory);
  await appendAll(store, blocks.slice(0, 2));
  const early = afterKill(directory);
  await appendAll(store, blocks.slice(2, 12));
  const late = afterKill(directory);
  await appendAll(store, blocks.slice(12));
  await store.close();
  flip(directory, 'transfer 5');
  const damaged = readFileSync(getFile(directory));
  expect(repairStore(directory, 'blocks', [])).toBeUndefined();
  expect(repairStore(directory, 'blocks', [early])).toBeUndefined();
  expect(readFileSync(getFile(directory)).equals(damaged)).toBe(true);
  expect(repairStore(directory, 'blocks', [early, late])).toMatchObject({
    aside: `${directory}.damaged-1`,
    copy: late,
    lost: [],
  });
  expect(verifyStore(directory, 'blocks').problems).toEqual([]);
  const again = openStore(directory);
  expect(again.height).toBe(16n);
  expectAll(again, blocks);
});
