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

/** A part of a table that a client follows. */
export interface FollowRowsOptions {
  /** First parts of the keys of the table, or of the index, in their types. */
  readonly prefix?: readonly unknown[];
  readonly index?: string;
  /** Rows at most, up to 10,000, which it is without; a table with more ends the stream. */
  readonly limit?: number;
  /** `cursor` of changes before: only those that follow, without the rows. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
}

/** Rows that are new or have changed. */
export interface RowChanges<K, V> {
  readonly block: bigint;
  /** From here a later call resumes; undefined while `isWhole` is false. */
  readonly cursor: string | undefined;
  readonly rows: readonly (readonly [K, V])[];
  /** Keys of rows that are gone or no longer belong to the part, also of some that never came. */
  readonly removed: readonly K[];
  /** Why earlier rows are to be forgotten: they come again. */
  readonly again: string | undefined;
  /** Whether the rows so far are those after `block`. */
  readonly isWhole: boolean;
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

/** The rows of a part and the changes of each block, until the signal aborts. */
export async function* followRows<K, V>(
  rollup: RollupClient,
  table: Rows<K, V>,
  { prefix = [], index, limit, from, signal }: FollowRowsOptions,
): AsyncGenerator<RowChanges<K, V>, void, undefined> {
  const types = index === undefined ? table.key : ((table.indexes[index]?.key ?? []) as typeof table.key);
  const parts = prefix.map((part, at) => types[at]?.toJson(part) ?? part);
  const query = { index, prefix: prefix.length === 0 ? undefined : JSON.stringify(parts), limit, from };
  for await (const { kind, id, data } of rollup.follow(withQuery(`/v1/tables/${table.name}/stream`, query), {
    signal,
  })) {
    const [part] = data.at('parts').list();
    if (kind !== 'changes' || part === undefined) continue;
    yield {
      block: data.at('block').big(),
      cursor: id,
      rows: rowsFrom(table, part.at('rows')),
      removed: part
        .at('removed')
        .list()
        .map((key) => keyFrom(table, key)),
      again: part.at('again').optional((reason) => reason.text()),
      isWhole: part.at('isWhole').bool(),
    };
    if (part.at('isCut').optional((isCut) => isCut.bool()) === true) return;
  }
}

const rowsFrom = <K, V>(table: Rows<K, V>, rows: Input): (readonly [K, V])[] =>
  rows.list().map((row) => [keyFrom(table, row.at('key')), openJson(table.value)(row.at('value'))] as const);

function keyFrom<K, V>({ key: types, getKey }: Rows<K, V>, key: Input): K {
  const parts = key.list();
  return getKey(types.map((type, at) => type.json(parts[at] ?? key)));
}
