import type { Snapshot } from '@switchyard/machine/browser';
import { Rejected } from '@switchyard/protocol';
import type { StoredIndex } from './indexes.ts';
import type { Keys } from './keys.ts';

/* Rows of a table in one of its orders, from a cursor on. */

interface Place {
  /** Cursor of the row before. */
  readonly after?: string | undefined;
  readonly reverse?: boolean;
  readonly limit: number;
}

export interface PageOf extends Place {
  /** One of the table, in whose order they come. */
  readonly index?: string | undefined;
  /** First parts of the keys by which they are in order. */
  readonly first?: readonly unknown[];
  /** Keys that the row has in the index, too. */
  readonly also?: readonly (readonly unknown[])[];
}

export interface TableRow<V> {
  readonly key: readonly unknown[];
  /** Undefined for a row that lacks one of the other keys. */
  readonly value: V | undefined;
  /** Its place in the order, as the store has it. */
  readonly cursor: string;
}

/** A snapshot that has the pages of tables whose definitions, in a page, have none. */
export interface PagedSnapshot extends Snapshot {
  readonly pageOf?: (table: string, item: PageOf) => Generator<TableRow<never>>;
}

/** Parts of a table that its orders need. */
interface Ordered {
  readonly name: string;
  readonly prefix: string;
  readonly keys: Keys;
  readonly stored: readonly StoredIndex[];
}

/** Rows of a table in the order of its keys or of an index, those whose keys in it begin with some parts. */
export function orderOf(
  { name, prefix, keys, stored: indexes }: Ordered,
  index?: string,
  first: readonly unknown[] = [],
) {
  const order = index === undefined ? { prefix, keys } : indexes.find((each) => each.name === index);
  if (order === undefined) throw new Error(`table "${name}" has no index "${index}"`);
  // All parts of its own key are one row, and not the beginning of others.
  const isOne = index === undefined && first.length > 0 && first.length === keys.parts;
  const start = order.prefix + (isOne ? keys.toKey(first) : withinText(order.keys, first));
  const fits = (entry: string): boolean => (isOne ? entry === start : entry.startsWith(start));
  const ownOf = (cursor: string): string =>
    index === undefined ? cursor : cursor.split('/').slice(order.keys.parts).join('/');
  return {
    start,
    /** The row of one of its entries, which may be gone. */
    rowOf(entry: string) {
      const position = entry.slice(order.prefix.length);
      return fits(entry) ? { position, storeKey: prefix + ownOf(position) } : undefined;
    },
    /** The cursor of a row, if it is one of these. */
    find(storeKey: string, row: Uint8Array): string | undefined {
      const [entry] = 'entriesOf' in order ? order.entriesOf(storeKey, row, () => undefined) : [storeKey];
      return entry !== undefined && fits(entry) ? entry.slice(order.prefix.length) : undefined;
    },
    /** Cursors and keys in the store, with the rows unless they are in the order of an index. */
    *entries(snapshot: Snapshot, { after, reverse = false, limit }: Place) {
      const bound = after !== undefined && { [reverse ? 'before' : 'after']: order.prefix + after };
      const bounds = { reverse, limit: isOne ? 1 : limit, ...bound };
      for (const [found, row] of snapshot.range({ prefix: start, ...bounds })) {
        if (!fits(found)) return;
        const cursor = found.slice(order.prefix.length);
        const own = ownOf(cursor);
        yield { cursor, own, storeKey: prefix + own, row: index === undefined ? row : undefined };
      }
    },
    /** The row of an entry of the index. */
    readRow(snapshot: Snapshot, storeKey: string): Uint8Array {
      const row = snapshot.get(storeKey);
      if (row !== undefined) return row;
      throw new Error(`index "${index}" of table "${name}" has a row that the table lacks`);
    },
  };
}

export function getPages<V>(table: Ordered & { read(stored: Uint8Array): V }) {
  return function* page(snapshot: Snapshot, { index, first, also = [], ...place }: PageOf): Generator<TableRow<V>> {
    if (place.after !== undefined && !/^[ -~]{0,500}$/.test(place.after))
      throw new Rejected('malformed', { field: 'after', expected: 'the cursor of a page' });
    const order = orderOf(table, index, first);
    const others = also.map((parts) => orderOf(table, index, parts).start);
    for (const { cursor, own, storeKey, row } of order.entries(snapshot, place)) {
      const isFound = others.every((other) => snapshot.get(other + own) !== undefined);
      const value = isFound ? table.read(row ?? order.readRow(snapshot, storeKey)) : undefined;
      yield { key: table.keys.fromKey(own), value, cursor };
    }
  };
}

/** Beginning of the keys with these first parts. */
export function withinText(keys: Keys, first: readonly unknown[]): string {
  return first.length === 0 ? '' : `${keys.toKey(first)}/`;
}
