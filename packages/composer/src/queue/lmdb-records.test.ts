import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { txHashBytes } from '@switchyard/protocol';
import { StoreFile } from '@switchyard/storage';
import { afterAll, expect, test } from 'vitest';
import { CHAT, GAME, makeItem } from '../testing/builders.ts';
import { createJournal } from './journal.ts';
import { openLmdbRecords } from './lmdb-records.ts';

const root = mkdtempSync(join(tmpdir(), 'composer-'));
afterAll(() => rmSync(root, { recursive: true }));
let directories = 0;
const newPath = (): string => join(root, String(directories++));

const hash = makeItem('tx').hash;
const bundle = { nonce: 4, payer: 'me', candidates: [{ hash, ranges: [{ from: 1, to: 3 }] }] };
const outcome = { kind: 'refused', reason: 'bad' } as const;
const record = { id: 1, space: CHAT, outcome, hashes: txHashBytes(hash), at: 7 };

test('what was written is there for the next process, in order', async () => {
  const path = newPath();
  const first = createJournal(openLmdbRecords(path));
  const chunks = [1, 3, 20, 100, 1_000].map((number) => ({
    first: number,
    items: [makeItem(`${number}`), makeItem('more', GAME)],
  }));
  await Promise.all([...chunks].reverse().map((chunk) => first.accept(chunk)));
  await first.putBundle(bundle);
  await first.settle({ leftovers: [{ chunk: 3, done: [{ from: 3, to: 4 }] }], outcomes: [record] });
  await first.close();

  const second = createJournal(openLmdbRecords(path));
  expect(second.recover()).toEqual({
    chunks: chunks.map((chunk) => ({ chunk, done: chunk.first === 3 ? [{ from: 3, to: 4 }] : [] })),
    bundles: [bundle],
    outcomes: [record],
  });
  await second.settle({
    nonces: [4],
    leftovers: chunks.map(({ first: chunk }) => ({ chunk, done: undefined })),
    forgottenOutcomes: [1],
  });
  expect(second.recover()).toEqual({ chunks: [], bundles: [], outcomes: [] });
  await second.close();
});

test('keys on disk keep their form', async () => {
  const path = newPath();
  const journal = createJournal(openLmdbRecords(path));
  await journal.accept({ first: 1, items: [makeItem('a'), makeItem('b')] });
  await journal.putBundle(bundle);
  await journal.settle({ leftovers: [{ chunk: 1, done: [{ from: 1, to: 2 }] }], outcomes: [record] });
  await journal.close();

  const file = new StoreFile<string>(path, 'composer-queue', { keys: 'text' });
  const keys = Array.from(file.main.entries({ start: '', end: '~' }), ([key]) => key);
  await file.close();
  expect(keys).toEqual([
    'bundle/0000000000000004',
    'chunk/0000000000000001',
    'done/0000000000000001',
    'fate/0000000000000001',
    'format',
  ]);
});

test('a write is in the file when it resolves', async () => {
  const path = newPath();
  const writing = createJournal(openLmdbRecords(path));
  await writing.accept({ first: 1, items: [makeItem('a')] });
  const reading = createJournal(openLmdbRecords(path));
  expect(reading.recover().chunks.map(({ chunk }) => chunk.items)).toEqual([[makeItem('a')]]);
  await reading.close();
  await writing.close();
});

test('what is written after a failed write fails too', async () => {
  const records = openLmdbRecords(newPath());
  const broken = {
    kind: 'chunk',
    id: 1,
    get value(): Uint8Array {
      throw new Error('of the work');
    },
  } as const;
  const writes = [records.write([broken]), records.write([{ kind: 'bundle', id: 1, value: new Uint8Array(4) }])];
  expect(await Promise.allSettled(writes)).toMatchObject([
    { status: 'rejected', reason: { message: 'of the work' } },
    { status: 'rejected', reason: { message: 'of the work' } },
  ]);
  await expect(records.write([{ kind: 'done', id: 1, value: undefined }])).rejects.toThrow('of the work');
  await records.close();
});
