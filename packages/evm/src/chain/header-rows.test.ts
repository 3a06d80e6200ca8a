import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_UNCLES } from '../blocks/header.ts';
import { EMPTY_ROOT } from '../blocks/ordered-root.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { wordOf } from '../hex.ts';
import type { Header } from '../types.ts';
import { HeaderRows } from './header-rows.ts';
import { type HeaderRow, numberKey } from './rows.ts';

interface Content {
  readonly transactions: number;
  readonly gasUsed: bigint;
  readonly baseFeePerGas: bigint;
  readonly size: number;
}

const IDLE: Content = { transactions: 0, gasUsed: 0n, baseFeePerGas: 7n, size: 600 };

function rowsOf(contents: readonly Content[]): HeaderRow[] {
  return contents.map(({ size, transactions, ...fields }, index) => {
    const sequencerBlockHash = index === 0 ? '' : wordOf(BigInt(index) + 1_000n).slice(2);
    const header: Header = {
      parentHash: wordOf(BigInt(index) + 99n),
      uncleHash: EMPTY_UNCLES,
      coinbase: `0x${'11'.repeat(20)}`,
      stateRoot: wordOf(BigInt(index) * 7n),
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      logsBloom: `0x${'00'.repeat(256)}`,
      difficulty: 0n,
      number: BigInt(index),
      gasLimit: 30_000_000n,
      timestamp: 1_700_000_000n + 2n * BigInt(index),
      extraData: '0x',
      mixHash: wordOf(0n),
      nonce: '0x0000000000000000',
      withdrawalsRoot: EMPTY_ROOT,
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: wordOf(index === 0 ? 0n : BigInt(index) + 1_000n),
      requestsHash: undefined,
      ...fields,
    };
    const timestamp = { seconds: 1_700_000_000n + 2n * BigInt(index), nanos: index * 11 };
    return {
      hash: wordOf(BigInt(index) + 100n),
      header,
      size,
      transactions,
      origin: { sequencerBlockHash, timestamp },
    };
  });
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
    fc.property(contents, (each) => {
      const rows = rowsOf(each);
      const { headers } = stored(rows);
      expect(rows.map((_, number) => headers.get(BigInt(number)))).toEqual(rows);
    }),
    { numRuns: 50 },
  );
});

test('an idle block takes 121 bytes', () => {
  const { table } = stored(rowsOf([IDLE, IDLE, IDLE, { ...IDLE, transactions: 1, gasUsed: 21_000n }, IDLE, IDLE]));
  const lengths = [0n, 1n, 2n, 3n, 4n, 5n].map((number) => table.get(numberKey(number))?.length ?? 0);
  expect(lengths.map((length) => length === 121)).toEqual([false, true, true, false, false, true]);
});
