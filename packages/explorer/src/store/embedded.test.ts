import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, wallClock } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storeContract } from './contract.suite.ts';
import { EmbeddedStore } from './embedded.ts';
import { insert } from './statements.ts';
import { IndexLost } from './store.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const open = (log = silentLogger) => new EmbeddedStore({ directory, log, wall: wallClock });
/** Compiled program: threads cannot run our sources. */
const writerProgram = new URL('../../dist/store/writer-thread.js', import.meta.url);
const openWithThread = (log = silentLogger) => new EmbeddedStore({ directory, log, wall: wallClock, writerProgram });

describe('in a file', () => {
  storeContract(async () => open());
});

describe('in a file that a thread writes', () => {
  storeContract(async () => openWithThread());

  test('a thread that has failed is replaced by the next batch', async () => {
    // A program that ends at once, then the right one: the state after a thread ran out of memory.
    const program = new URL(`data:text/javascript,${encodeURIComponent(FAILS_ONCE)}`);
    process.env.WRITER_PROGRAM = writerProgram.href;
    process.env.WRITER_MARK = join(directory, 'failed');
    const store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock, writerProgram: program });
    const rows = insert('meta', ['key', 'value'], [['a', 'b']]);
    await expect(store.write(rows)).rejects.toThrow('the thread that writes the index: out of memory');
    await store.write(rows);
    expect(await store.read("SELECT value FROM meta WHERE key = 'a'")).toEqual([{ value: 'b' }]);
    await store.close();
  });
});

const FAILS_ONCE = `
  import { existsSync, writeFileSync } from 'node:fs';
  const mark = process.env.WRITER_MARK;
  if (!existsSync(mark)) { writeFileSync(mark, ''); throw new Error('out of memory'); }
  await import(process.env.WRITER_PROGRAM);
`;

async function filled(): Promise<void> {
  const store = open();
  const columns = ['account', 'first_height', 'last_height', 'transactions'];
  const rows = Array.from({ length: 20_000 }, (_, at) => [`account ${at}`, at, at, 1]);
  await store.write(insert('accounts', columns, rows));
  await store.close();
}

const COUNT = 'SELECT COUNT(*) AS number FROM accounts';

test.each([
  ['cut in half', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['cut within its header', (path: string) => truncateSync(path, 50)],
  ['of something else', (path: string) => writeFileSync(path, 'no index '.repeat(10_000))],
])('a file %s is set aside and a new index begins', async (_, damage) => {
  await filled();
  damage(join(directory, 'index.db'));
  const { log, lines } = memoryLogger();
  const store = open(log);
  expect(await store.read(COUNT)).toMatchObject([{ number: 0 }]);
  expect(lines.map(({ msg }) => msg)).toEqual(['the index is damaged, filling a new one']);
  expect(readdirSync(directory).some((name) => /^index\.db\.damaged-\d+$/.test(name))).toBe(true);
  await store.close();
});

const ALL = 'SELECT SUM(transactions) AS number, MAX(last_height) AS last FROM accounts';

/** The file is whole by its size; its last pages are not. */
function damageEnd(): void {
  const path = join(directory, 'index.db');
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(65_536, 7), 0, 65_536, size - 65_536);
  closeSync(file);
}

// Defect: Damaged page of the explorer's index not found while pages were read
test('damage that is found by reading ends that call, and a new index begins', async () => {
  await filled();
  damageEnd();
  const { log, lines } = memoryLogger();
  const again = open(log);
  expect(lines).toEqual([]);
  await expect(again.read(ALL)).rejects.toThrow(IndexLost);
  expect(lines.map(({ msg }) => msg)).toEqual(['the index is damaged, filling a new one']);
  expect(await again.read(COUNT)).toMatchObject([{ number: 0 }]);
  await again.close();
});

test('damage that is found while a thread writes ends that batch too', async () => {
  await filled();
  damageEnd();
  const store = openWithThread();
  const columns = ['account', 'first_height', 'last_height', 'transactions'];
  const rows = Array.from({ length: 5_000 }, (_, at) => [`before all others ${at}`, at, at, 1]);
  const written = store.write(insert('accounts', columns, rows));
  const isLost = expect(written).rejects.toThrow(IndexLost);
  // Until it is under way.
  await new Promise((resolve) => setImmediate(resolve));
  // The thread may have found it first.
  await store.read(ALL).catch((error: unknown) => expect(error).toBeInstanceOf(IndexLost));
  await isLost;
  expect(await store.read(COUNT)).toEqual([{ number: 0 }]);
  await store.close();
});

test('an index of another format is emptied', async () => {
  await filled();
  const store = open();
  await store.write([{ sql: "UPDATE meta SET value = 'another' WHERE key = 'format'", params: [] }]);
  await store.close();
  const again = open();
  expect(await again.read(COUNT)).toMatchObject([{ number: 0 }]);
  await again.close();
});

// Defect: Pages waited while a batch of the index was committed
test.each([
  ['this thread', open],
  ['another one', openWithThread],
])('reads are answered while %s writes a long batch, from what was there before it', async (_, made) => {
  const store = made();
  const columns = ['account', 'first_height', 'last_height', 'transactions'];
  const rows = Array.from({ length: 100_000 }, (_, at) => [`account ${at}`, at, at, 1]);
  let isWritten = false;
  const written = store.write(insert('accounts', columns, rows)).then(() => {
    isWritten = true;
  });
  const counts = new Set();
  let reads = 0;
  for (; !isWritten && reads < 1_000_000; reads += 1) {
    counts.add((await store.read(COUNT))[0]?.number);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await written;
  expect(reads).toBeGreaterThan(3);
  counts.delete(100_000);
  expect([...counts]).toEqual([0]);
  await store.close();
});
