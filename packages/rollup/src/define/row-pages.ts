import type { Snapshot } from '@switchyard/machine/browser';
import { Rejected } from '@switchyard/protocol';
import type { StoredIndex } from './indexes.ts';
import type { Keys } from './keys.ts';

/* Rows of a table in one of its orders, from a cursor on. */

export interface PageOf {
  /** One of the table, in whose order they come. */
  readonly index?: string | undefined;
  /** First parts of the keys by which they are in order. */
  readonly first?: readonly unknown[];
  /** Keys that the row has in the index, too. */
  readonly also?: readonly (readonly unknown[])[];
  /** Cursor of the row before. */
  readonly after?: string | undefined;
  readonly reverse?: boolean;
  readonly limit: number;
}

export interface TableRow<V> {
  readonly key: readonly unknown[];
  /** Undefined for a row that lacks one of the other keys. */
  readonly value: V | undefined;
  /** Its place in the order, as the store has it. */
  readonly cursor: string;
}

/** Parts of a table that its pages need. */
interface PagedTable<V> {
  readonly name: string;
  readonly prefix: string;
  readonly keys: Keys;
  readonly stored: readonly StoredIndex[];
  read(stored: Uint8Array): V;
  get(snapshot: Snapshot, parts: readonly unknown[]): V | undefined;
}

export function getPages<V>({ name, prefix, keys, stored, read, get }: PagedTable<V>) {
  const indexes = new Map(stored.map((index) => [index.name, index]));
  return function* page(snapshot: Snapshot, item: PageOf): Generator<TableRow<V>> {
    const { index, first = [], also = [], after, reverse = false, limit } = item;
    const order = index === undefined ? { prefix, keys } : indexes.get(index);
    if (order === undefined) throw new Error(`table "${name}" has no index "${index}"`);
    if (after !== undefined && !/^[ -~]{0,500}$/.test(after))
      throw new Rejected('malformed', { field: 'after', expected: 'the cursor of a page' });
    // All parts of its own key are one row, and not the beginning of others.
    const isOne = index === undefined && first.length > 0 && first.length === keys.parts;
    const start = order.prefix + (isOne ? keys.toKey(first) : withinText(order.keys, first));
    const bounds = {
      reverse,
      limit: isOne ? 1 : limit,
      ...(after !== undefined && { [reverse ? 'before' : 'after']: order.prefix + after }),
    };
    const others = also.map((each) => order.prefix + withinText(order.keys, each));
    for (const [found, row] of snapshot.range({ prefix: start, ...bounds })) {
      if (isOne && found !== start) return;
      const cursor = found.slice(order.prefix.length);
      const own = index === undefined ? cursor : cursor.split('/').slice(order.keys.parts).join('/');
      const key = keys.fromKey(own);
      const isFound = others.every((other) => snapshot.get(other + own) !== undefined);
      const value = !isFound ? undefined : index === undefined ? read(row) : get(snapshot, key);
      if (isFound && value === undefined)
        throw new Error(`index "${index}" of table "${name}" has a row that the table lacks`);
      yield { key, value, cursor };
    }
  };
}

/** Beginning of the keys with these first parts. */
export function withinText(keys: Keys, first: readonly unknown[]): string {
  return first.length === 0 ? '' : `${keys.toKey(first)}/`;
}
