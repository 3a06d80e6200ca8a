import { number, text } from '../../http/cells.ts';
import type { IndexStore, Row, Value } from '../../store/store.ts';
import type { EvmRollup } from '../http/context.ts';
import { NotOk } from './not-ok.ts';
import type { Parameters } from './parameters.ts';

/** Rows that all pages of a list have together, as with Etherscan. */
const MAX_ROWS = 10_000;
const MAX_BLOCK = 999_999_999_999;
/** Rows that are read at a time, and characters of all rows of an answer. */
const ROWS_AT_A_TIME = 1_000;
const MAX_CHARACTERS = 8 * 1_048_576;

/** Rows of a list that a request asks for. */
export type Range = ReturnType<typeof rangeIn>;

/** @param names Of the first and the last block. @throws {NotOk} */
export function rangeIn(
  parameters: Parameters,
  {
    names = ['startblock', 'endblock'],
    limit = MAX_ROWS,
  }: { readonly names?: readonly [string, string]; readonly limit?: number } = {},
) {
  const [first, last] = names.map((name, at) => blockIn(parameters, name, at === 0 ? 0 : MAX_BLOCK));
  const offset = parameters.integer('offset', { min: 1, max: limit, fallback: limit });
  const page = parameters.integer('page', { min: 1, max: MAX_ROWS, fallback: 1 });
  const [from = 0, to = MAX_BLOCK] = [first, last];
  if (from > to)
    throw new NotOk(`Error! ${names.join(' to ')}: expected a range that does not go back, got ${from} to ${to}`);
  if (page * offset > MAX_ROWS)
    throw new NotOk('Result window is too large, PageNo x Offset size must be less than or equal to 10000', []);
  const direction = parameters.optional('sort')?.toLowerCase() === 'desc' ? 'DESC' : 'ASC';
  return {
    /** For `ORDER BY`. @param columns What the list is ordered by. */
    order: (...columns: readonly string[]) =>
      `ORDER BY ${columns.map((column) => `${column} ${direction}`).join(', ')}`,
    ...{ limit: offset, offset: (page - 1) * offset },
    /** For `WHERE`, with `params`. @param column The number of the block. */
    within: (column: string) => `${column} BETWEEN ? AND ?`,
    params: [from, to],
  };
}

/**
 * The rows of a page, a few at a time: their size is known only when they are read.
 *
 * @param sql The query with the limit that it is given.
 * @throws {NotOk} if the answer would be too long.
 */
export async function readPage(
  store: Pick<IndexStore, 'read'>,
  { limit, offset }: Pick<Range, 'limit' | 'offset'>,
  sql: (limit: string) => string,
  params: readonly Value[],
): Promise<Row[]> {
  const rows: Row[] = [];
  let characters = 0;
  for (let at = 0; at < limit; at += ROWS_AT_A_TIME) {
    const most = Math.min(ROWS_AT_A_TIME, limit - at);
    const some = await store.read(sql(`LIMIT ${most} OFFSET ${offset + at}`), params);
    for (const row of some) {
      rows.push(row);
      for (const value of Object.values(row)) characters += typeof value === 'string' ? value.length : 8;
    }
    if (characters > MAX_CHARACTERS)
      throw new NotOk(
        `Error! the answer is longer than ${MAX_CHARACTERS} bytes; ask for fewer than ${limit} with offset`,
        [],
      );
    if (some.length < most) break;
  }
  return rows;
}

/** `latest` is any block. */
function blockIn(parameters: Parameters, name: string, fallback: number): number {
  if (parameters.optional(name) === 'latest') return MAX_BLOCK;
  return parameters.integer(name, { max: MAX_BLOCK, fallback });
}

/** @throws {NotOk} if there are none, for which clients look by these words. */
export function getSome<T>(what: string, items: readonly T[]): readonly T[] {
  if (items.length === 0) throw new NotOk(`No ${what} found`, [], `No ${what} found`);
  return items;
}

/** Members for the transaction of a row, in all lists. */
export const transactionMembers = (row: Row, { indexed }: EvmRollup) => ({
  blockNumber: text(row.number),
  timeStamp: String(Math.floor(number(row.time) / 1_000)),
  hash: `0x${text(row.hash)}`,
  nonce: text(row.nonce),
  blockHash: `0x${text(row.block_hash)}`,
  transactionIndex: text(row.position),
  gas: text(row.gas_limit),
  gasPrice: text(row.gas_price),
  gasUsed: text(row.gas_used),
  cumulativeGasUsed: text(row.cumulative_gas),
  confirmations: String(Math.max(0, indexed - number(row.number) + 1)),
});

export const hexOrEmpty = (value: Value | undefined): string => (typeof value === 'string' ? `0x${value}` : '');
