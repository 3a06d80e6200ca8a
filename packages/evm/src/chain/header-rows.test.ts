import { toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_REQUESTS } from '../blocks/requests.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { headerRow } from '../testing/header-row.ts';
import { HeaderRows } from './header-rows.ts';
import { type HeaderRow, numberKey } from './rows.ts';

interface Content {
  readonly transactions: number;
  readonly gasUsed: bigint;
  readonly baseFeePerGas: bigint;
  readonly size: number;
}

const IDLE: Content = { transactions: 0, gasUsed: 0n, baseFeePerGas: 7n, size: 600 };

/** @param since Number of the first block of Amsterdam. */
function getRows(contents: readonly Content[], since = contents.length): HeaderRow[] {
  const later = (index: number) => ({
    requestsHash: NO_REQUESTS,
    blockAccessListHash: toWord(BigInt(index + 5_000)),
    slotNumber: BigInt(index + 2),
  });
  return contents.map(({ size, transactions, ...fields }, index) => ({
    ...headerRow(BigInt(index), { ...fields, ...(index < since ? {} : later(index)) }),
    size,
    transactions,
  }));
}

function stored(rows: readonly HeaderRow[]) {
  const database = openMemoryDatabase();
  const table = database.table('headers');
  const headers = new HeaderRows(table);
  database.write((writer) => {
    for (const [number, row] of rows.entries()) headers.put(writer, BigInt(number), row);
  });
  return { headers, table };
}

test('any header reads as it was put', () => {
  const busy = fc.record({
    transactions: fc.integer({ min: 0, max: 2 }),
    gasUsed: fc.bigInt({ min: 0n, max: 3n }),
    baseFeePerGas: fc.bigInt({ min: 7n, max: 9n }),
    size: fc.integer({ min: 600, max: 602 }),
  });
  const contents = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(IDLE) }, busy), { maxLength: 20 });
  fc.assert(
    fc.property(contents, fc.nat(20), (each, since) => {
      const rows = getRows(each, since);
      const { headers } = stored(rows);
      expect(rows.map((_, number) => headers.get(BigInt(number)))).toEqual(rows);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['before Amsterdam', 121, 6],
  ['of Amsterdam', 153, 0],
])('an idle block %s takes %i bytes', (_, bytes, since) => {
  const contents = [IDLE, IDLE, IDLE, { ...IDLE, transactions: 1, gasUsed: 21_000n }, IDLE, IDLE];
  const { table } = stored(getRows(contents, since));
  const lengths = [0n, 1n, 2n, 3n, 4n, 5n].map((number) => table.get(numberKey(number))?.length ?? 0);
  expect(lengths.map((length) => length === bytes)).toEqual([false, true, true, false, false, true]);
});
