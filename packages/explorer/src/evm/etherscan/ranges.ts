import type { Row, Value } from '../../store/store.ts';
import type { EvmRollup } from '../http/context.ts';
import { number, text } from '../http/shown.ts';
import { NotOk } from './not-ok.ts';
import type { Parameters } from './parameters.ts';

/** Rows that all pages of a list have together, as with Etherscan. */
const MAX_ROWS = 10_000;
const MAX_BLOCK = 999_999_999_999;

/** Which rows of a list a request asks for. */
export interface Range {
  /** For `ORDER BY ... LIMIT`. @param columns What the list is ordered by. */
  order(...columns: readonly string[]): string;
  /** For `WHERE`, with `params`. @param column The number of the block. */
  within(column: string): string;
  readonly params: readonly Value[];
}

/** @param names Of the first and the last block. @throws {NotOk} */
export function rangeIn(
  parameters: Parameters,
  {
    names = ['startblock', 'endblock'],
    limit = MAX_ROWS,
  }: { readonly names?: readonly [string, string]; readonly limit?: number } = {},
): Range {
  const [first, last] = names.map((name, at) => blockIn(parameters, name, at === 0 ? 0 : MAX_BLOCK));
  const offset = parameters.integer('offset', { min: 1, max: limit, fallback: limit });
  const page = parameters.integer('page', { min: 1, max: MAX_ROWS, fallback: 1 });
  if (page * offset > MAX_ROWS)
    throw new NotOk('Result window is too large, PageNo x Offset size must be less than or equal to 10000', []);
  const direction = parameters.optional('sort')?.toLowerCase() === 'desc' ? 'DESC' : 'ASC';
  return {
    order: (...columns) =>
      `ORDER BY ${columns.map((column) => `${column} ${direction}`).join(', ')} LIMIT ${offset} OFFSET ${(page - 1) * offset}`,
    within: (column) => `${column} BETWEEN ? AND ?`,
    params: [first ?? 0, last ?? MAX_BLOCK],
  };
}

/** `latest` is any block. */
function blockIn(parameters: Parameters, name: string, fallback: number): number {
  if (parameters.optional(name) === 'latest') return MAX_BLOCK;
  return parameters.integer(name, { max: MAX_BLOCK, fallback });
}

/** @throws {NotOk} where there are none, for which clients look by these words. */
export function someOf<T>(what: string, items: readonly T[]): readonly T[] {
  if (items.length === 0) throw new NotOk(`No ${what} found`, [], `No ${what} found`);
  return items;
}

/** What all lists show of the transaction of a row. */
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
