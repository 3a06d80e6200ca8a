import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, expect, test } from 'vitest';
import { compactable, compactStores, ON_COMMAND, SPARSE, StoreDamaged } from './index.ts';
import { setAside } from './repair.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'compact-'));
  directories.push(directory);
  return directory;
}

const options = { noSubdir: false, encoding: 'binary', maxDbs: 8 } as const;
const computeSize = (directory: string) => statSync(join(directory, 'data.mdb')).size;

/** A database with rows and tables, of which most rows were deleted. */
async function sparse(directory: string, { tables = [] as string[], rows = 20_000, left = 1_000 } = {}) {
  mkdirSync(directory, { recursive: true });
  const root = open<Uint8Array, string>({ path: directory, ...options });
  for (const table of tables.length === 0
    ? [root]
    : tables.map((name) => root.openDB<Uint8Array, string>(name, options))) {
    table.transactionSync(() => {
      for (let row = 0; row < rows; row += 1) table.putSync(`row ${row}`, Buffer.alloc(200, row));
    });
    table.transactionSync(() => {
      for (let row = left; row < rows; row += 1) table.removeSync(`row ${row}`);
    });
  }
  await root.close();
}

async function rowsIn(directory: string, table?: string): Promise<number> {
  const root = open<Uint8Array, string>({ path: directory, ...options });
  const rows = table === undefined ? root : root.openDB<Uint8Array, string>(table, options);
  const count = [...rows.getRange({})].filter(
    ({ key, value }) => key.startsWith('row ') && value.length === 200,
  ).length;
  await root.close();
  return count;
}

test('a file that is mostly free shrinks, and keeps every row', async () => {
  const home = newDirectory();
  const [plain, tabled] = [join(home, 'a'), join(home, 'deep', 'b')];
  await sparse(plain);
  await sparse(tabled, { tables: ['one', 'two'] });
  expect(compactable(home, ON_COMMAND)).toEqual([plain, tabled]);
  const done = await compactStores(home, ON_COMMAND);
  expect(done.map(({ directory }) => directory)).toEqual([plain, tabled]);
  for (const { directory, before, after } of done) {
    expect([after < before / 4, computeSize(directory)]).toEqual([true, after]);
    expect(existsSync(join(directory, 'compact.tmp'))).toBe(false);
  }
  expect([await rowsIn(plain), await rowsIn(tabled, 'one'), await rowsIn(tabled, 'two')]).toEqual([
    1_000, 1_000, 1_000,
  ]);
  expect(await compactStores(home, ON_COMMAND)).toEqual([]);
});

test('small files, and those that are mostly in use, are left alone', async () => {
  const home = newDirectory();
  await sparse(join(home, 'small'), { rows: 500, left: 1 });
  await sparse(join(home, 'full'), { rows: 10_000, left: 9_500 });
  await sparse(join(home, 'large'), { rows: 10_000, left: 100 });
  const done = await compactStores(home, { ...SPARSE, minBytes: 1_000_000 });
  expect(done.map(({ directory }) => directory)).toEqual([join(home, 'large')]);
});

// Defect: `dev compact` and starts failed because of files that a repair had set aside
test('a damaged file is refused with its repair command, and one that a repair has set aside is left alone', async () => {
  const home = newDirectory();
  const store = join(home, 'queue');
  await sparse(store);
  const bytes = readFileSync(join(store, 'data.mdb'));
  writeFileSync(join(store, 'data.mdb'), bytes.fill(0xa5, 16_384));
  await expect(compactStores(home, ON_COMMAND)).rejects.toThrow(StoreDamaged);
  await expect(compactStores(home, ON_COMMAND)).rejects.toThrow(`switchyard repair ${store}`);
  expect(readFileSync(join(store, 'data.mdb')).equals(bytes)).toBe(true);
  setAside(store);
  expect(await compactStores(home, ON_COMMAND)).toEqual([]);
});

test('what a run that was killed has left is removed, and is no database', async () => {
  const home = newDirectory();
  await sparse(home);
  mkdirSync(join(home, 'compact.tmp'));
  writeFileSync(join(home, 'compact.tmp', 'data.mdb'), 'half a copy');
  expect(await compactStores(home, ON_COMMAND)).toHaveLength(1);
  expect(await rowsIn(home)).toBe(1_000);
});

test('a database that a process has open is refused, and stays as it is', async () => {
  const home = newDirectory();
  await sparse(home);
  const script = `
    const db = require(${JSON.stringify(createRequire(import.meta.url).resolve('lmdb'))}).open({ path: ${JSON.stringify(home)}, noSubdir: false, encoding: 'binary' });
    db.get('row 1');
    console.log('open');
    setInterval(() => db.get('row 1'), 1_000);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const before = computeSize(home);
    await expect(compactStores(home, ON_COMMAND)).rejects.toThrow(`in use by process ${child.pid}`);
    expect(computeSize(home)).toBe(before);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
  expect(await compactStores(home, ON_COMMAND)).toHaveLength(1);
});
