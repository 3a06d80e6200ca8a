import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '@switchyard/machine';
import { Failure } from '@switchyard/service/failure';
import { StoreFile } from '@switchyard/storage';
import { expect, test } from 'vitest';
import { repairAll } from './repair.ts';
import { verifyAll } from './verify.ts';

/** A state and a queue below one directory. */
async function stores(): Promise<{ root: string; state: string; queue: string }> {
  const root = mkdtempSync(join(tmpdir(), 'switchyard-stores-'));
  const [state, queue] = [join(root, 'rollup'), join(root, 'composer')];
  const store = openLmdbStore(state);
  const overlay = store.begin();
  for (let account = 0; account < 50; account += 1)
    overlay.put(`balance/${account}`, Buffer.from(`amount ${account}.`));
  await store.commit(store.seal(overlay, 1n));
  await store.close();
  const file = new StoreFile<string>(queue, 'composer-queue', { keys: 'text' });
  for (let id = 0; id < 20; id += 1) file.main.putSync(`chunk/${id}`, Buffer.from(`item ${id}.`));
  await file.close();
  return { root, state, queue };
}

function damage(directory: string, text: string): void {
  const file = join(directory, 'data.mdb');
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test('whole stores are verified, and not touched by a repair', async () => {
  const { root, state, queue } = await stores();
  expect(verifyAll(root).map(({ directory, kind, problems }) => ({ directory, kind, problems }))).toEqual([
    { directory: queue, kind: 'composer-queue', problems: [] },
    { directory: state, kind: 'state', problems: [] },
  ]);
  expect(verifyAll(root)[1]?.checked).toContain('the state root from 50 values');
  expect(repairAll(root)).toEqual([]);
});

test('each damaged store is named with its command, and repaired in its own way', async () => {
  const { root, state, queue } = await stores();
  damage(state, 'amount 7.');
  damage(queue, 'item 3.');
  const reports = verifyAll(root);
  expect(reports.map(({ repair }) => repair)).toEqual([`switchyard repair ${queue}`, `switchyard repair ${state}`]);
  expect(reports.map(({ problems }) => problems.map(({ what }) => what))).toEqual([
    ['key chunk/3: the checksum of a record of 11 bytes is wrong'],
    ['key s:balance/7: the checksum of a record of 13 bytes is wrong'],
  ]);
  expect(repairAll(root)).toMatchObject([
    {
      directory: queue,
      done: 'saved 19 records',
      aside: `${queue}.damaged-1`,
      lost: [expect.stringContaining('chunk/3')],
    },
    {
      directory: state,
      done: expect.stringContaining('begins at the genesis and executes all blocks again'),
      aside: `${state}.damaged-1`,
      lost: [],
    },
  ]);
  expect(existsSync(join(state, 'data.mdb'))).toBe(false);
  expect(verifyAll(root).flatMap(({ problems }) => problems)).toEqual([]);
});

test('values that give another root are found behind right checksums', async () => {
  const { root, state } = await stores();
  const file = new StoreFile<string>(state, 'state', { keys: 'text' });
  file.main.putSync('s:balance/9', Buffer.from('amount 8.'));
  await file.close();
  expect(verifyAll(root).flatMap(({ problems }) => problems)).toEqual([
    { file: join(state, 'data.mdb'), what: 'key balance/9: the value is not the one under the state root' },
  ]);
});

test('a directory without stores, or that is absent, is an error', () => {
  const empty = mkdtempSync(join(tmpdir(), 'switchyard-stores-'));
  expect(() => repairAll(empty)).toThrow(Failure);
  expect(() => repairAll(join(empty, 'absent'))).toThrow('is absent');
});
