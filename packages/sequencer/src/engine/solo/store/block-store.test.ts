import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@switchyard/protocol';
import { type ScrubStep, StoreDamaged } from '@switchyard/storage';
import { expect, test } from 'vitest';
import { BlockStore } from './block-store.ts';
import { type BlockRecord, encodeRecord } from './record.ts';
import { decodeResults, encodeResults } from './results.ts';
import { BlockLogScrub } from './scrub-log.ts';
import { appendAll, newDirectory, storeOpener, testBlocks } from './testing.ts';

const openStore = storeOpener();

/** A field of a protobuf message that is shorter than 128 bytes. */
const field = (number: number, bytes: Uint8Array) =>
  Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);

const txsOf = (height: number) => [Buffer.from(`first ${height}`), Buffer.from(`second ${height}`)];
const hashOf = (height: number) => sha256(Buffer.from(`block ${height}`));

function recordOf(height: number): BlockRecord {
  const txs = txsOf(height);
  const result = (log: string) => ({
    code: 0,
    data: new Uint8Array(),
    log,
    info: '',
    gasWanted: 0n,
    gasUsed: 0n,
    events: [],
    codespace: '',
  });
  return {
    height: BigInt(height),
    hash: hashOf(height),
    signedHeader: Buffer.from(`header ${height}`),
    state: Buffer.from(`state ${height}`),
    block: Buffer.concat([
      field(1, Buffer.from('a header')),
      field(2, Buffer.concat(txs.map((tx) => field(1, tx)))),
      field(3, Buffer.alloc(0)),
    ]),
    results: encodeResults({
      txResults: txs.map((tx) => result(`ran ${tx}`)),
      validatorUpdates: [],
      consensusParamUpdates: undefined,
      appHash: Buffer.alloc(32, height),
      events: [],
    }),
  };
}

async function fill(store: BlockStore, from: number, to: number): Promise<void> {
  for (let height = from; height <= to; height += 1) {
    await store.append(
      recordOf(height),
      txsOf(height).map((tx) => sha256(tx)),
    );
  }
}

async function expectHeights(store: BlockStore, first: number, last: number): Promise<void> {
  expect([store.first, store.height]).toEqual([BigInt(first), BigInt(last)]);
  for (let height = first; height <= last; height += 1) {
    const record = recordOf(height);
    const key = BigInt(height);
    expect(Buffer.from(store.signedHeader(key) ?? [])).toEqual(record.signedHeader);
    expect(Buffer.from(store.state(key) ?? [])).toEqual(record.state);
    expect(Buffer.from((await store.block(key)) ?? [])).toEqual(record.block);
    expect(store.heightOf(hashOf(height))).toBe(key);
    for (const [index, tx] of txsOf(height).entries()) {
      const found = store.findTx(sha256(tx));
      expect(found).toMatchObject({ height: key, index });
      const read = found === undefined ? undefined : await store.readTx(found);
      expect(Buffer.from(read?.tx ?? [])).toEqual(tx);
      expect(JSON.parse(read?.result ?? '')).toMatchObject({ log: `ran ${tx}`, data: null });
    }
  }
}

/** What a process that is killed now would leave behind. */
function afterKill(directory: string): string {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

const lastFile = (directory: string) => {
  const name = readdirSync(join(directory, 'blocks')).sort().at(-1);
  return join(directory, 'blocks', name ?? '');
};

test('gives back what was stored, before and after a restart', async () => {
  const directory = newDirectory();
  const store = await openStore(directory);
  await fill(store, 1, 20);
  await expectHeights(store, 1, 20);
  await store.close();
  await expectHeights(await openStore(directory), 1, 20);
});

test('starts at whatever height the chain starts', async () => {
  const directory = newDirectory();
  await fill(await openStore(directory), 1_000, 1_003);
  await expectHeights(await openStore(afterKill(directory)), 1_000, 1_003);
});

test('answers nothing for heights and hashes it does not have', async () => {
  const store = await openStore(newDirectory());
  expect([store.first, store.height, store.signedHeader(1n), await store.block(0n)]).toEqual([
    0n,
    0n,
    undefined,
    undefined,
  ]);
  await fill(store, 5, 6);
  expect([store.signedHeader(4n), store.state(7n), await store.results(-1n)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([store.findTx(sha256(Buffer.from('?'))), store.heightOf(new Uint8Array(32))]).toEqual([undefined, undefined]);
  expect(store.meta(5n)).toMatchObject({ txCount: 2, blockBytes: recordOf(5).block.length });
  const results = await store.results(6n);
  expect(decodeResults(results ?? Buffer.alloc(0)).txs).toHaveLength(2);
});

test('has every appended block after a kill, although the index was not written', async () => {
  const directory = newDirectory();
  await fill(await openStore(directory), 1, 300);
  await expectHeights(await openStore(afterKill(directory)), 1, 300);
});

test('rolls over to new files and reads across them', async () => {
  const directory = newDirectory();
  await fill(await openStore(directory, { segmentBytes: 2_000 }), 1, 30);
  expect(readdirSync(join(directory, 'blocks')).length).toBeGreaterThan(5);
  const again = await openStore(afterKill(directory), { segmentBytes: 2_000 });
  await fill(again, 31, 40);
  await expectHeights(again, 1, 40);
});

test('makes the index again from the blocks', async () => {
  const directory = newDirectory();
  const store = await openStore(directory, { segmentBytes: 20_000 });
  await fill(store, 1, 300);
  const copy = afterKill(directory);
  rmSync(join(copy, 'index'), { recursive: true });
  await expectHeights(await openStore(copy, { segmentBytes: 20_000 }), 1, 300);
});

test('drops a record that a crash cut short, wherever it was cut, and continues', async () => {
  const directory = newDirectory();
  await fill(await openStore(directory), 1, 3);
  const whole = Buffer.concat(encodeRecord(recordOf(4), 2));
  for (let length = 1; length < whole.length; length += 37) {
    const copy = afterKill(directory);
    appendFileSync(lastFile(copy), whole.subarray(0, length));
    const store = await openStore(copy);
    expect([store.height, store.dropped]).toEqual([3n, length]);
    await fill(store, 4, 5);
    await expectHeights(store, 1, 5);
  }
});

test('drops a last record with a flipped bit, which only a write in progress can leave', async () => {
  const directory = newDirectory();
  await fill(await openStore(directory), 1, 3);
  const whole = Buffer.concat(encodeRecord(recordOf(4), 2));
  for (let at = 0; at < whole.length; at += 29) {
    const copy = afterKill(directory);
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    appendFileSync(lastFile(copy), damaged);
    expect((await openStore(copy)).height).toBe(3n);
  }
});

test('notices a damaged block when it is read', async () => {
  const directory = newDirectory();
  const store = await openStore(directory);
  await fill(store, 1, 3);
  const file = lastFile(directory);
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf('second 2');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await expect(store.block(2n)).rejects.toThrow(
    '.segment is damaged: block at height 2: block is not what was written',
  );
  expect(Buffer.from((await store.block(3n)) ?? [])).toEqual(recordOf(3).block);
});

test('damage in a block that the index does not hold yet is no reason to cut off those behind it', async () => {
  const directory = newDirectory();
  await fill(await openStore(directory), 1, 3);
  const copy = afterKill(directory);
  rmSync(join(copy, 'index'), { recursive: true });
  const file = lastFile(copy);
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf('second 2');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await expect(BlockStore.open(copy)).rejects.toThrow(
    `${file} is damaged: block at height 2: the record is not what was written; repair it with \`switchyard repair ${copy}\``,
  );
  expect(readFileSync(file).length).toBe(bytes.length);
});

test('damage in a block that the index holds is found before anything is served from it', async () => {
  const directory = newDirectory();
  const store = await openStore(directory);
  await fill(store, 1, 5);
  await store.close();
  const file = lastFile(directory);
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf('second 2');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await expect(BlockStore.open(directory)).rejects.toThrow('block at height 2: a section is not what was written');
});

test('the scrubber reads every block of a log that is in use, a part at a time', async () => {
  const directory = newDirectory();
  const store = await openStore(directory);
  await appendAll(store, testBlocks(Array.from({ length: 30 }, (_, index) => [Buffer.from(`transfer ${index}`)])));
  const scrub = new BlockLogScrub(directory);
  const steps: ScrubStep[] = [];
  while (steps.at(-1)?.done !== true && steps.length < 31) steps.push(scrub.step(1_500));
  expect(steps.reduce((sum, { records }) => sum + records, 0)).toBe(30);
  expect(steps.length).toBeGreaterThan(1);
  const file = lastFile(directory);
  const bytes = readFileSync(file);
  const at = bytes.indexOf('transfer 15');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect(() => new BlockLogScrub(directory).step(1_000_000)).toThrow(StoreDamaged);
});

test('refuses to open when block files are gone', async () => {
  const directory = newDirectory();
  const store = await openStore(directory);
  await fill(store, 1, 3);
  await store.close();
  rmSync(join(directory, 'blocks'), { recursive: true });
  await expect(BlockStore.open(directory)).rejects.toThrow('block files are missing: the index goes up to height 3');
});

test('refuses a block that does not follow the last one', async () => {
  const store = await openStore(newDirectory());
  await fill(store, 1, 1);
  await expect(fill(store, 3, 3)).rejects.toThrow('block out of order: expected=2 got=3');
});
