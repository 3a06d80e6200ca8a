import { type RollupClient, withQuery } from '@switchyard/client/rollup';
import type { Input } from '@switchyard/service/input';
import { openJson } from '../schema/type.ts';
import type { Rows } from './table.ts';

export interface RowsOptions {
  /** Only rows with all of these words in the texts that the table searches. */
  readonly search?: string;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface RowsPage<K, V> {
  /** The rows are those after it. */
  readonly block: bigint;
  /** In the order of their keys. */
  readonly rows: readonly (readonly [K, V])[];
  /** Absent on the last page; a search may have pages without rows before. */
  readonly next?: string;
}

/** A page of rows, by the types of their table. */
export async function getRows<K, V>(
  rollup: RollupClient,
  table: Rows<K, V>,
  { search: q, after, limit, signal }: RowsOptions = {},
): Promise<RowsPage<K, V>> {
  const answer = await rollup.get(withQuery(`/v1/tables/${table.name}`, { q, after, limit }), signal);
  const rows = rowsFrom(table, answer.at('rows'));
  const next = answer.at('next').optional((text) => text.text());
  return { block: answer.at('block').big(), rows, ...(next !== undefined && { next }) };
}

export const rowsFrom = <K, V>(table: Rows<K, V>, rows: Input): (readonly [K, V])[] =>
  rows.list().map((row) => [keyFrom(table, row.at('key')), openJson(table.value)(row.at('value'))] as const);

export function keyFrom<K, V>({ key: types, getKey }: Rows<K, V>, key: Input): K {
  const parts = key.list();
  return getKey(types.map((type, at) => type.json(parts[at] ?? key)));
}
