import { balances, INDEX_PREFIX, nonces, type Snapshot, type Table } from '@switchyard/machine';
import { type AccountId, type AssetId, type Json, parseAddress, parseDenom, Rejected } from '@switchyard/protocol';

/** A table of the state as readers ask for it. */
export interface StateTable {
  readonly name: string;
  readonly prefix: string;
  /** Form of a key, for messages. */
  readonly keyForm: string;
  /** @throws {Rejected} for a text that is no key. */
  storeKey(key: string): string;
  decoded(snapshot: Snapshot, key: string): Json;
}

interface Shown<K, V> extends Pick<StateTable, 'name' | 'keyForm'> {
  /** @throws {Rejected} for a text that is no key. */
  parseKey(text: string): K;
  /** @param value What the table answers; undefined where nothing is stored and that has no meaning. */
  toJson(value: V): Json;
}

/** A table with the text form of its keys and the JSON form of its values. */
export function stateTable<K, V, Absent>(
  { prefix, storeKey, get }: Table<K, V, Absent>,
  { name, keyForm, parseKey, toJson }: Shown<K, V | Absent>,
): StateTable {
  if (prefix.startsWith(INDEX_PREFIX)) throw new Error(`rows under ${prefix} are no part of the state`);
  return {
    name,
    prefix,
    keyForm,
    storeKey: (key) => storeKey(parseKey(key)),
    decoded: (snapshot, key) => toJson(get(snapshot, parseKey(key))),
  };
}

/* Tables that every rollup of the framework has. */

export const NONCES = stateTable(nonces, {
  name: 'nonces',
  keyForm: 'ADDRESS',
  parseKey: parseAddress,
  toJson: (nonce) => nonce,
});

export const BALANCES = stateTable(balances, {
  name: 'balances',
  keyForm: 'ADDRESS/ASSET',
  parseKey: balanceKey,
  toJson: (amount) => String(amount),
});

function balanceKey(text: string): readonly [AccountId, AssetId] {
  const slash = text.indexOf('/');
  if (slash < 0) throw new Rejected('malformed', { field: 'key', expected: 'ADDRESS/ASSET', got: text.slice(0, 100) });
  return [parseAddress(text.slice(0, slash)), parseDenom(text.slice(slash + 1)).id];
}
