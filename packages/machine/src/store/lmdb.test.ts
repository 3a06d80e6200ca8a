// biome-ignore-all lint/style/noRestrictedImports: the package has no I/O of its own, but its tests need a directory
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryDisk } from '@switchyard/storage';
import { open } from 'lmdb';
import { afterAll, expect, test } from 'vitest';
import { openLmdbStore } from './lmdb.ts';
import { storeSuite } from './store.suite.ts';
import type { Layer, Store } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'store-'));
afterAll(() => rmSync(directory, { recursive: true }));

let stores = 0;
const newPath = () => join(directory, `store.${stores++}`);

storeSuite('LMDB', () => {
  const path = newPath();
  return { open: () => openLmdbStore(path), durable: true };
});

storeSuite('LMDB that maps its file anew all the time', () => {
  const path = newPath();
  return { open: () => openLmdbStore(path, { residentBytes: 0 }), durable: true };
});

storeSuite('memory twin of LMDB', () => {
  const path = newPath();
  new MemoryDisk().mount(path);
  return { open: () => openLmdbStore(path, { residentBytes: 0 }), durable: true };
});

function block(store: Store, height: bigint, key: string): Layer {
  const overlay = store.begin();
  overlay.put(key, Uint8Array.of(1));
  return store.seal(overlay, height);
}

test('a loss of power that undoes the last block of a replayed store leaves the one before', async () => {
  const [path, copy] = [newPath(), newPath()];
  const store = openLmdbStore(path, { isReplayed: true });
  for (let height = 1n; height <= 20n; height += 1n) await store.commit(block(store, height, `key ${height}`));
  const before = readFileSync(join(path, 'data.mdb'));
  await store.commit(block(store, 21n, 'key 21'));
  cpSync(path, copy, { recursive: true });
  await store.close();
  const after = readFileSync(join(copy, 'data.mdb'));
  // Its pages have reached the disk, and the page referring to them has not.
  for (const page of [0, 1]) before.copy(after, page * 4_096, page * 4_096, (page + 1) * 4_096);
  writeFileSync(join(copy, 'data.mdb'), after);
  const again = openLmdbStore(copy, { isReplayed: true });
  expect(again.head().height).toBe(20n);
  expect([again.begin().get('key 20'), again.begin().get('key 21')]).toEqual([Uint8Array.of(1), undefined]);
  await again.close();
});

test('is there again with height, root and contents after it was closed', async () => {
  const path = newPath();
  const store = openLmdbStore(path);
  const layer = block(store, 7n, 'a');
  await store.commit(layer);
  block(store, 8n, 'b');
  await store.close();
  const again = openLmdbStore(path);
  expect([again.head().height, again.head().root]).toEqual([7n, layer.root]);
  expect([...again.snapshot().range({ prefix: '', limit: 10 })]).toEqual([['a', Uint8Array.of(1)]]);
  expect(() => store.snapshot().get('a')).toThrow('is gone');
  await again.close();
});

test('keeps values of every size', async () => {
  const path = newPath();
  const store = openLmdbStore(path);
  const overlay = store.begin();
  const sizes = [0, 1, 63, 64, 65, 2000, 4096, 40_000, 1_000_000, 20_000_000];
  for (const size of sizes) overlay.put(`v/${size}`, new Uint8Array(size).fill(size % 251));
  await store.commit(store.seal(overlay, 1n));
  for (const size of sizes) {
    const read = store.snapshot().get(`v/${size}`);
    const [[, ranged] = []] = store.snapshot().range({ prefix: `v/${size}`, limit: 1 });
    for (const value of [read, ranged]) {
      expect(value?.length).toBe(size);
      expect(Buffer.from(value ?? []).equals(Buffer.alloc(size, size % 251))).toBe(true);
    }
  }
  await store.close();
});

test('keeps a value as it was read while others are read', async () => {
  const store = openLmdbStore(newPath());
  const overlay = store.begin();
  overlay.put('a', new Uint8Array(100).fill(1));
  overlay.put('b', new Uint8Array(100).fill(2));
  await store.commit(store.seal(overlay, 1n));
  const first = store.snapshot().get('a');
  store.snapshot().get('b');
  expect(first).toEqual(new Uint8Array(100).fill(1));
  await store.close();
});

test('refuses to commit over what another store has written', async () => {
  const path = newPath();
  const [one, two] = [openLmdbStore(path), openLmdbStore(path)];
  await one.commit(block(one, 1n, 'a'));
  await expect(two.commit(block(two, 1n, 'b'))).rejects.toThrow(`${path} is at height 1, expected undefined`);
  expect(two.head().get('b')).toEqual(Uint8Array.of(1));
  expect(one.snapshot().get('b')).toBeUndefined();
  await one.close();
  await two.close();
});

test('refuses a database that is not a store', async () => {
  const path = newPath();
  const other = open({ path, noSubdir: false });
  await other.put('hello', 'world');
  await other.close();
  expect(() => openLmdbStore(path)).toThrow(`${path} holds something else`);
});

test('names the path it cannot open', () => {
  const path = newPath();
  writeFileSync(path, 'a file');
  expect(() => openLmdbStore(path)).toThrow(`cannot open the store at ${path}`);
});
