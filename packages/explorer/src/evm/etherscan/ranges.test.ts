import { expect, test } from 'vitest';
import { readPage } from './ranges.ts';

/** Rows of this many characters, and how many of them were read. */
function table(rows: number, characters: number) {
  const read: number[] = [];
  return {
    read,
    store: {
      async read(sql: string) {
        const [, most = 0, from = 0] = (/LIMIT (\d+) OFFSET (\d+)/.exec(sql) ?? []).map(Number);
        const some = Array.from({ length: Math.max(0, Math.min(most, rows - from)) }, (_, at) => ({
          at: from + at,
          input: 'x'.repeat(characters),
        }));
        read.push(some.length);
        return some;
      },
    },
  };
}
const sql = (limit: string) => `SELECT * FROM rows ${limit}`;

test('a page is read in pieces, and has the rows that it was asked for', async () => {
  const { store, read } = table(2_600, 1);
  const rows = await readPage(store, { limit: 10_000, offset: 100 }, sql, []);
  expect([rows.length, rows[0]?.at, rows.at(-1)?.at]).toEqual([2_500, 100, 2_599]);
  expect(read).toEqual([1_000, 1_000, 500]);
  expect(await readPage(store, { limit: 3, offset: 5 }, sql, [])).toMatchObject([{ at: 5 }, { at: 6 }, { at: 7 }]);
});

// Defect: Etherscan API: lists of up to 90 MB
test('rows that are too long together are refused before all of them are read', async () => {
  const { store, read } = table(10_000, 5_000);
  await expect(readPage(store, { limit: 10_000, offset: 0 }, sql, [])).rejects.toThrow(
    'Error! the answer is longer than 8388608 bytes; ask for fewer than 10000 with offset',
  );
  expect(read).toEqual([1_000, 1_000]);
});
