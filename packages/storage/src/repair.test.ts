import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findStores, repairStore, StoreDamaged, StoreFile, verifyStore } from './index.ts';

const root = mkdtempSync(join(tmpdir(), 'repair-'));
afterAll(() => rmSync(root, { recursive: true }));
let directories = 0;
const newPath = () => join(root, String(directories++), 'queue');

const open = (path: string) => new StoreFile<string>(path, 'composer-queue', { keys: 'text' });

async function filled(): Promise<string> {
  const path = newPath();
  const file = open(path);
  file.transactionSync(() => {
    for (let id = 0; id < 200; id += 1) file.main.putSync(`chunk/${id}`, Buffer.from(`value of ${id}`));
  });
  await file.close();
  return path;
}

function damage(path: string, text: string): void {
  const file = join(path, 'data.mdb');
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test('what is whole of a queue is saved, what is not is listed, and the damaged file is kept', async () => {
  const path = await filled();
  damage(path, 'value of 77');
  expect(() => open(path)).toThrow(StoreDamaged);
  const lost = 'key chunk/77: the checksum of a record of 15 bytes is wrong';
  expect(verifyStore(path, 'composer-queue').problems).toEqual([lost]);

  const repaired = repairStore(path, 'composer-queue');
  expect(repaired).toEqual({
    aside: `${path}.damaged-1`,
    saved: 199,
    lost: ['key chunk/77: the checksum of the record is wrong'],
  });
  expect(verifyStore(repaired?.aside ?? '', 'composer-queue').problems).toEqual([lost]);
  expect(verifyStore(path, 'composer-queue').problems).toEqual([]);
  const file = open(path);
  expect(file.main.get('chunk/76')?.length).toBe(11);
  expect(file.main.get('chunk/77')).toBeUndefined();
  await file.close();
});

test.each([
  ['is missing', (file: string) => rmSync(file)],
  ['is empty', (file: string) => truncateSync(file, 0)],
  ['is cut short', (file: string) => truncateSync(file, 5_000)],
])('a queue whose file %s is found by its label, and begins anew', async (_, harm) => {
  const path = await filled();
  harm(join(path, 'data.mdb'));
  expect(findStores(join(path, '..'))).toEqual([{ directory: path, kind: 'composer-queue' }]);
  expect(verifyStore(path, 'composer-queue').problems).toHaveLength(1);
  expect(repairStore(path, 'composer-queue')).toMatchObject({
    saved: 0,
    lost: [expect.stringContaining('all records')],
  });
  const file = open(path);
  expect([...file.main.keys({ start: 'chunk/', end: 'chunk0' })]).toEqual([]);
  await file.close();
});

test.each([
  ['with its label', false],
  ['without', true],
])('a sealed queue whose format record is damaged is damaged, %s', async (_, withoutLabel) => {
  const path = await filled();
  const file = join(path, 'data.mdb');
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf('format'); at >= 0; at = bytes.indexOf('format', at + 1)) bytes[at + 5] = 0x75;
  writeFileSync(file, bytes);
  if (withoutLabel) {
    rmSync(join(path, 'store.json'));
    expect(verifyStore(path, undefined).problems[0]).toContain('the format record is missing');
  }
  expect(() => open(path)).toThrow('the format record is missing');
  expect(repairStore(path, 'composer-queue')?.saved).toBe(200);
  const again = open(path);
  expect(Buffer.from(again.main.get('chunk/5') ?? []).toString()).toBe('value of 5');
  await again.close();
});
