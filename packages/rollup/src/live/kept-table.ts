import type { Snapshot } from '@switchyard/machine/browser';
import { storedIndexes } from '../define/indexes.ts';
import { toKeys } from '../define/keys.ts';
import { rowCodec } from '../define/row-codec.ts';
import { getPages, type PagedSnapshot } from '../define/row-pages.ts';
import type { AnyTable } from '../define/table.ts';

/** A table as the replica keeps its rows: with its indexes, which definitions in pages do not have. */
export function keptTable<T extends AnyTable>(table: T) {
  const { name, prefix, key, value, stored } = table;
  const keys = toKeys(key);
  const codec = rowCodec<unknown>(value);
  // Entries of a log are found by its node alone.
  const isWithout = stored.length === 0 && !('append' in table);
  return {
    ...{ ...table, keys, encode: codec.encode },
    stored: isWithout ? storedIndexes(name, table, { prefix, keys, value, ...codec }) : stored,
  };
}
export type KeptTable = ReturnType<typeof keptTable>;

/** Pages over rows in memory. */
export function pagesOver(tables: readonly KeptTable[], snapshot: Snapshot): PagedSnapshot {
  return {
    ...snapshot,
    pageOf(name, item) {
      const table = tables.find((each) => each.name === name);
      if (table === undefined) throw new Error(`table ${name} is not listed in the tables of the definition`);
      const read = (row: Uint8Array) => table.decode(row) as never;
      return getPages({ ...table, read })(snapshot, item);
    },
  };
}
