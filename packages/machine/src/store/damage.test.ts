// biome-ignore-all lint/style/noRestrictedImports: damages files on disk
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PageFile, StoreDamaged, walkTree } from '@switchyard/storage';
import { open } from 'lmdb';
import { afterAll, expect, test } from 'vitest';
import { openLmdbStore } from './lmdb.ts';
import type { Store } from './store.ts';
import { verifyStateFile } from './verify-file.ts';

const root = mkdtempSync(join(tmpdir(), 'damage-'));
afterAll(() => rmSync(root, { recursive: true }));
let directories = 0;
const newPath = () => join(root, String(directories++));

const balanceOf = (account: number) => `accounts/balance/${String(account).padStart(4, '0')}`;
const amount = (value: number) => Uint8Array.from([0, 0, 0, 0, 0, 0, 0, value & 255, value >> 8]);

async function filled(path: string, accounts = 2_000): Promise<Store> {
  const store = openLmdbStore(path);
  const overlay = store.begin();
  for (let account = 0; account < accounts; account += 1) overlay.put(balanceOf(account), amount(account));
  overlay.put('index/text/1', Buffer.from('a text of a sender'));
  await store.commit(store.seal(overlay, 1n));
  return store;
}

/** Offset of a record's value in the file: if its key is in the used part of a leaf page of the newest version. */
function getOffset(path: string, key: string): number {
  const bytes = readFileSync(join(path, 'data.mdb'));
  const text = `s:${key}`;
  const file = new PageFile(join(path, 'data.mdb'));
  const pages = new Set<number>();
  walkTree(file, file.meta(), file.meta().main, { onPages: (first) => void pages.add(first) });
  file.close();
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const page = at & ~4095;
    const used = page + 24 + bytes.readUInt16LE(page + 22);
    if (pages.has(page / 4096) && bytes[page + 18] === 2 && at >= used) return at + text.length;
  }
  throw new Error(`${text} is on no leaf page`);
}

function flip(path: string, offset: number, bit = 3): void {
  const file = openSync(join(path, 'data.mdb'), 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, offset);
  writeSync(file, Buffer.of((byte[0] ?? 0) ^ (1 << bit)), 0, 1, offset);
  closeSync(file);
}

// Defect: A flipped bit in a balance served to clients
test('a flipped bit in a balance is found before the store opens, with file, key and command', async () => {
  const path = newPath();
  await (await filled(path)).close();
  flip(path, getOffset(path, balanceOf(7)));
  expect(() => openLmdbStore(path)).toThrow(
    `${path}/data.mdb is damaged: key s:${balanceOf(7)}: the checksum of a record of 13 bytes is wrong; repair it with \`switchyard repair ${path}\``,
  );
});

test('a bit that flips while the store is open is found when it is read, and reported once', async () => {
  const path = newPath();
  await (await filled(path)).close();
  const reported: StoreDamaged[] = [];
  const store = openLmdbStore(path, { onDamage: (error) => reported.push(error) });
  flip(path, getOffset(path, balanceOf(7)));
  flip(path, getOffset(path, 'index/text/1'));
  expect(store.snapshot().get(balanceOf(6))).toEqual(amount(6));
  expect(() => store.snapshot().get(balanceOf(7))).toThrow(StoreDamaged);
  expect(() => store.snapshot().get('index/text/1')).toThrow(StoreDamaged);
  expect(() => [...store.snapshot().range({ prefix: 'index/', limit: 10 })]).toThrow(StoreDamaged);
  expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining(`key s:${balanceOf(7)}`)]);
  await store.close();
  // The next start reads all of it.
  expect(() => openLmdbStore(path)).toThrow(StoreDamaged);
});

test('a balance whose key is damaged is missing, not zero', async () => {
  const path = newPath();
  await (await filled(path)).close();
  const store = openLmdbStore(path);
  flip(path, getOffset(path, balanceOf(1_999)) - 1, 1);
  expect(() => store.snapshot().get(balanceOf(1_999))).toThrow('the record is missing');
  expect(store.snapshot().get('accounts/balance/none')).toBeUndefined();
  await store.close();
});

test.each([
  ['cut in the middle', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096)],
  ['cut to one page', (file: string) => truncateSync(file, 4096)],
  ['emptied', (file: string) => truncateSync(file, 0)],
  ['removed', (file: string) => rmSync(file)],
  ['of zeros', (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
])('a file that was %s is named', async (_, damage) => {
  const path = newPath();
  await (await filled(path)).close();
  damage(join(path, 'data.mdb'));
  expect(() => openLmdbStore(path)).toThrow(
    new RegExp(`^${path}/data.mdb is damaged: .*; repair it with \`switchyard repair ${path}\`$`),
  );
});

test('a newer format is refused in one line', async () => {
  const path = newPath();
  await (await filled(path)).close();
  const { sealValue } = await import('@switchyard/storage');
  const db = open<Uint8Array, string>({ path, noSubdir: false, encoding: 'binary' });
  db.putSync('m:format', sealValue(0, 'm:format', Buffer.from('switchyard-store-5')));
  await db.close();
  expect(() => openLmdbStore(path)).toThrow(
    `${path} has format switchyard-store-5, expected switchyard-store-4: start the version of Switchyard that wrote it`,
  );
});

test('values that do not give the root are found by deriving it, though their checksums are right', async () => {
  const path = newPath();
  await (await filled(path)).close();
  const { sealValue } = await import('@switchyard/storage');
  const db = open<Uint8Array, string>({ path, noSubdir: false, encoding: 'binary' });
  const key = `s:${balanceOf(5)}`;
  db.putSync(key, sealValue(0, key, amount(6)));
  await db.close();
  const file = join(path, 'data.mdb');
  expect(verifyStateFile(file)).toBe(`key ${balanceOf(5)}: the value is not the one under the state root`);
});
