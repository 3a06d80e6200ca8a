import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryDisk } from '@switchyard/storage';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Database, RangeOptions, Row } from './database.ts';
import { openDatabase } from './lmdb.ts';
import { openMemoryDatabase } from './memory.ts';

const directory = mkdtempSync(join(tmpdir(), 'evm-database-'));
afterAll(() => rmSync(directory, { recursive: true }));
let made = 0;
const unmount = new MemoryDisk().mount(join(directory, 'memory'));
afterAll(unmount);

const text = (row: Row): string => row.map((bytes) => Buffer.from(bytes).toString('hex')).join('=');
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe.each([
  ['in a directory', () => openDatabase(join(directory, `${made++}`))],
  ['in a directory of a disk in memory', () => openDatabase(join(directory, 'memory', `${made++}`))],
  ['in memory', () => openMemoryDatabase()],
])('a database %s', (_, open: () => Database) => {
  test('gives back what was put, and what was removed no more', async () => {
    const db = open();
    const table = db.table('things');
    db.write((w) => {
      w.put(table, bytes(1), bytes(7));
      w.put(table, bytes(2), bytes());
      w.put(table, bytes(0, 0), new Uint8Array(10_000).fill(3));
    });
    db.write((w) => w.remove(table, bytes(1)));
    expect(table.get(bytes(1))).toBeUndefined();
    expect(table.get(bytes(2))).toEqual(bytes());
    expect(table.get(bytes(0, 0))).toEqual(new Uint8Array(10_000).fill(3));
    expect(table.range().map(([key]) => key)).toEqual([bytes(0, 0), bytes(2)]);
    await db.close();
  });

  test('orders keys as bytes, whatever bounds are asked', async () => {
    const db = open();
    const table = db.table('ordered');
    const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 3 });
    const options = fc.record(
      { from: key, to: key, reverse: fc.boolean(), limit: fc.integer({ min: 0, max: 5 }) },
      { requiredKeys: [] },
    );
    const model = new Map<string, Row>();
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 4 }),
        fc.array(key, { maxLength: 2 }),
        key,
        options,
        (puts, removals, at, query) => {
          db.write((w) => {
            for (const put of puts) {
              w.put(table, put, bytes(put.length));
              model.set(Buffer.from(put).toString('hex'), [put, bytes(put.length)]);
            }
            for (const removal of removals) {
              w.remove(table, removal);
              model.delete(Buffer.from(removal).toString('hex'));
            }
          });
          const rows = [...model.values()].sort(([a], [b]) => Buffer.compare(a, b));
          expect(table.range(query as RangeOptions).map(text)).toEqual(expectedRange(rows, query).map(text));
          expect(table.atOrBefore(at)).toEqual(rows.filter(([found]) => Buffer.compare(found, at) <= 0).at(-1));
          expect(table.atOrAfter(at)).toEqual(rows.find(([found]) => Buffer.compare(found, at) >= 0));
        },
      ),
      { numRuns: 300 },
    );
    await db.close();
  }, 30_000);

  test('changes nothing and runs no callback when the work throws', async () => {
    const db = open();
    const table = db.table('kept');
    db.write((w) => w.put(table, bytes(1), bytes(1)));
    let calls = 0;
    expect(() =>
      db.write((w) => {
        w.afterCommit(() => calls++);
        w.put(table, bytes(1), bytes(2));
        w.put(table, bytes(2), bytes(2));
        w.remove(table, bytes(1));
        throw new Error('stopped');
      }),
    ).toThrow('stopped');
    expect([table.range(), calls]).toEqual([[[bytes(1), bytes(1)]], 0]);
    db.write((w) => w.afterCommit(() => calls++));
    expect(calls).toBe(1);
    await db.close();
  });

  test('reads inside a write see what it wrote', async () => {
    const db = open();
    const table = db.table('seen');
    db.write((w) => {
      w.put(table, bytes(1), bytes(1));
      expect(table.get(bytes(1))).toEqual(bytes(1));
      w.put(table, bytes(1), bytes(2));
      w.put(table, bytes(3), bytes(3));
      expect(table.range().map(text)).toEqual(['01=02', '03=03']);
      expect(table.atOrBefore(bytes(2))).toEqual([bytes(1), bytes(2)]);
      w.remove(table, bytes(1));
      expect(table.atOrBefore(bytes(2))).toBeUndefined();
    });
    await db.close();
  });

  test('what was read stays what it was', async () => {
    const db = open();
    const table = db.table('stays');
    db.write((w) => w.put(table, bytes(1), new Uint8Array(100).fill(1)));
    const [first, row] = [table.get(bytes(1)), table.atOrAfter(bytes(1))];
    db.write((w) => w.put(table, bytes(1), new Uint8Array(100).fill(2)));
    table.get(bytes(1));
    table.range();
    expect([first, row?.[1]]).toEqual([new Uint8Array(100).fill(1), new Uint8Array(100).fill(1)]);
    await db.close();
  });
});

function expectedRange(rows: readonly Row[], { from, to, reverse, limit }: RangeOptions): Row[] {
  const inside = rows.filter(
    ([key]) =>
      (from === undefined || Buffer.compare(key, from) >= 0) && (to === undefined || Buffer.compare(key, to) < 0),
  );
  return (reverse ? inside.reverse() : inside).slice(0, limit);
}

test('a file that is mapped anew again and again is the same file', async () => {
  const db = openDatabase(join(directory, 'mapped'), { residentBytes: -Number.MAX_SAFE_INTEGER });
  const [first, second] = [db.table('first'), db.table('second')];
  for (let round = 0; round < 50; round++) {
    db.write((w) => {
      w.put(first, bytes(round), bytes(round, 1));
      w.put(second, bytes(round), new Uint8Array(20_000).fill(round));
    });
    expect(first.range().map(([key]) => key[0])).toEqual(Array.from({ length: round + 1 }, (_, index) => index));
    expect(second.get(bytes(round >> 1))?.[19_999]).toBe(round >> 1);
    expect(second.atOrBefore(bytes(255))?.[0]).toEqual(bytes(round));
  }
  expect(db.table('third').range()).toEqual([]);
  await db.close();
});

test('a database in a directory is there again when it is opened again', async () => {
  const path = join(directory, 'again');
  const first = openDatabase(path);
  const table = first.table('a');
  first.write((w) => w.put(table, bytes(1), bytes(2)));
  await first.close();
  const second = openDatabase(path);
  expect(second.table('a').get(bytes(1))).toEqual(bytes(2));
  await second.close();
});
