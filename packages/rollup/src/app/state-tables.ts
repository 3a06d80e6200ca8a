import { balances, nonces, type Snapshot } from '@switchyard/machine';
import { type Json, Rejected } from '@switchyard/protocol';
import { Input, InvalidData } from '@switchyard/service/input';
import { address, asset, u32, u128 } from '../schema/scalars.ts';
import type { NameOf, Type } from '../schema/type.ts';
import { getNames } from './asset-names.ts';

/** A table of the state as readers ask for it. */
export interface StateTable {
  readonly name: string;
  readonly prefix: string;
  /** Form of a key, for messages. */
  readonly keyForm: string;
  /** Rows of a page, however large each of them is. */
  readonly maxPageRows: number;
  /** @throws {Rejected} for a text that is no key. */
  storeKey(key: string): string;
  decoded(snapshot: Snapshot, key: string): Json;
  /** In the order of the store. @param after Key in its text form. @throws {Rejected} for a text that is no key. */
  rows(snapshot: Snapshot, limit: number, after?: string): Iterable<{ readonly key: string; readonly decoded: Json }>;
}

/** Rows by keys, which have parts of these types. */
interface Shown<K, V> {
  readonly name: string;
  readonly prefix: string;
  readonly key: readonly Type<unknown>[];
  readonly value: Pick<Type<V>, 'toJson'>;
  getKey(parts: readonly unknown[]): K;
  getParts(key: K): readonly unknown[];
  readonly maxPageRows?: number;
  storeKey(key: K): string;
  get(snapshot: Snapshot, key: K): unknown;
  range(snapshot: Snapshot, options: { readonly after?: K; readonly limit: number }): Iterable<readonly [K, V]>;
}

/** A table whose keys are the texts of their parts, between slashes: each but the last percent-encoded. */
export function stateTable<K, V>(table: Shown<K, V>): StateTable {
  const { name, prefix, key: types, maxPageRows = 1_000, storeKey, get, range } = table;
  const keyForm = types.map(({ description }) => description.type.toUpperCase()).join('/') || ONLY;
  const parsed = (text: string): K => table.getKey(partsIn(text, types, keyForm));
  const toText = (key: K, getName: NameOf): string =>
    table
      .getParts(key)
      .map((part, at) => String(types[at]?.toJson(part, getName)))
      .map((part, at) => (at < types.length - 1 ? encodeURIComponent(part) : part))
      .join('/') || ONLY;
  // Rows are of the type of the table.
  const toJson = (row: unknown, getName: NameOf): Json =>
    row === undefined ? null : (table.value.toJson(row as V, getName) as Json);
  return {
    ...{ name, prefix, keyForm, maxPageRows },
    storeKey: (key) => storeKey(parsed(key)),
    decoded: (snapshot, key) => toJson(get(snapshot, parsed(key)), getNames(snapshot)),
    *rows(snapshot, limit, after) {
      const place = after === undefined ? {} : { after: parsed(after) };
      const getName = getNames(snapshot);
      for (const [key, row] of range(snapshot, { ...place, limit }))
        yield { key: toText(key, getName), decoded: toJson(row, getName) };
    },
  };
}

/** Key of a table with one row. */
const ONLY = '_';

function partsIn(text: string, types: readonly Type<unknown>[], keyForm: string): readonly unknown[] {
  const found = text.split('/');
  const last = found.splice(Math.max(0, types.length - 1)).join('/');
  try {
    if (types.length === 0 && text === ONLY) return [];
    if (found.length + 1 !== types.length || (found.length > 0 && last === '')) throw new URIError();
    return [...found.map(decodeURIComponent), last].map((part, at) => types[at]?.json(new Input(part, 'key')));
  } catch (error) {
    if (!(error instanceof InvalidData || error instanceof URIError)) throw error;
    throw new Rejected('malformed', { field: 'key', expected: keyForm, got: text.slice(0, 100) });
  }
}

/* Tables that every rollup of the framework has. */

const oneOf = <K>() => ({ getKey: ([key]: readonly unknown[]) => key as K, getParts: (key: K) => [key] });

export const NONCES = stateTable({ ...nonces, ...oneOf<never>(), name: 'nonces', key: [address], value: u32 });

export const BALANCES = stateTable({
  ...{ ...balances, name: 'balances', key: [address, asset], value: u128 },
  // Their types are those of the table.
  getKey: (parts) => parts as never,
  getParts: (key) => key,
});
