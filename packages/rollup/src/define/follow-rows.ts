import { type RollupClient, withQuery } from '@switchyard/client/rollup';
import { keyFrom, rowsFrom } from './client-rows.ts';
import type { Rows } from './table.ts';

/** A part of a table that a client follows. */
export interface FollowRowsOptions {
  /** First parts of the keys of the table, or of the index, in their types. */
  readonly prefix?: readonly unknown[];
  readonly index?: string;
  /** Rows at most, up to 10,000, which it is without; a table with more ends the stream. */
  readonly limit?: number;
  /** For a log: entries that come first, up to 1,000, instead of the other choices. */
  readonly newest?: number;
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
  /** Keys of rows that are gone or have left the part. */
  readonly removed: readonly K[];
  /** Why earlier rows are to be forgotten: they come again. */
  readonly again: string | undefined;
  /** Whether the rows so far are those after `block`. */
  readonly isWhole: boolean;
}

/**
 * The rows of a part of a table, then those that each block changes, until the signal aborts. Lost connections are made again.
 *
 * @param rollup That of a client.
 * @throws {ApiRefused} for a table, index or cursor that the node does not have.
 * @example
 * ```ts
 * const total = single({ name: 'total', value: u64, absent: 0n });
 * const { rollup } = clientOf(counter, { url: 'http://127.0.0.1:3030' });
 * const changes = followRows(rollup, total, { signal: AbortSignal.timeout(60_000) });
 * for await (const { rows, removed, isWhole } of changes) console.log(rows, removed, isWhole);
 * ```
 */
export async function* followRows<K, V>(
  rollup: RollupClient,
  table: Rows<K, V>,
  { prefix = [], index, limit, newest, from, signal }: FollowRowsOptions,
): AsyncGenerator<RowChanges<K, V>, void, undefined> {
  const types = index === undefined ? table.key : ((table.indexes[index]?.key ?? []) as typeof table.key);
  const parts = prefix.map((part, at) => types[at]?.toJson(part) ?? part);
  const query = { index, prefix: prefix.length === 0 ? undefined : JSON.stringify(parts), limit, newest, from };
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
