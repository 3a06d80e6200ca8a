import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findStores, MemoryDisk, StoreFile, StoreScrub } from './index.ts';
import { storeFileSuite } from './store-file.suite.ts';

const root = mkdtempSync(join(tmpdir(), 'store-file-'));
const mounted = join(root, 'memory');
const unmount = new MemoryDisk().mount(mounted);
const timed = join(root, 'timed');
const clock = { after: (ms: number, fire: () => void) => setTimeout(fire, ms) };
const unmountTimed = new MemoryDisk({ clock, flushMs: () => 2 }).mount(timed);
let places = 0;

afterAll(() => {
  unmount();
  unmountTimed();
  rmSync(root, { recursive: true });
});

storeFileSuite('LMDB', () => join(root, 'files', String(places++)));
storeFileSuite('memory', () => join(mounted, String(places++)));
storeFileSuite('memory, with flushes that take time', () => join(timed, String(places++)));

test('a store in memory makes no file, and has nothing to scrub', async () => {
  const directory = join(mounted, 'alone');
  const file = new StoreFile<string>(directory, 'composer-queue', { keys: 'text' });
  await file.main.put('a', new Uint8Array(1));
  expect([existsSync(mounted), findStores(root).filter((each) => each.directory.startsWith(mounted))]).toEqual([
    false,
    [],
  ]);
  expect(new StoreScrub(directory, 'composer-queue').step(1_000)).toEqual({ bytes: 0, records: 0, done: true });
  await file.close();
});
