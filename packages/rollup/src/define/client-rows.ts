import { type RollupClient, withQuery } from '@switchyard/client/rollup';
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
  { name, key: types, value, getKey }: Rows<K, V>,
  { search: q, after, limit, signal }: RowsOptions = {},
): Promise<RowsPage<K, V>> {
  const answer = await rollup.get(withQuery(`/v1/tables/${name}`, { q, after, limit }), signal);
  const rows = answer
    .at('rows')
    .list()
    .map((row) => {
      const parts = row.at('key').list();
      return [
        getKey(types.map((type, at) => type.json(parts[at] ?? row.at('key')))),
        openJson(value)(row.at('value')),
      ] as const;
    });
  const next = answer.at('next').optional((text) => text.text());
  return { block: answer.at('block').big(), rows, ...(next !== undefined && { next }) };
}
