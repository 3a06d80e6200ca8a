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

describe('in a file', () => {
  storeContract(async () => open());
});

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

test('damage that is found by reading ends that call, and a new index begins', async () => {
  await filled();
  const path = join(directory, 'index.db');
  const { size } = statSync(path);
  // Whole by its size; the last pages are not.
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(size - 65_536, 7), 0, size - 65_536, 65_536);
  closeSync(file);
  const { log, lines } = memoryLogger();
  const again = open(log);
  const all = 'SELECT SUM(transactions) AS number, MAX(last_height) AS last FROM accounts';
  if (lines.length === 0) await expect(again.read(all)).rejects.toThrow(IndexLost);
  expect(lines.map(({ msg }) => msg)).toEqual(['the index is damaged, filling a new one']);
  expect(await again.read(COUNT)).toMatchObject([{ number: 0 }]);
  await again.close();
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
