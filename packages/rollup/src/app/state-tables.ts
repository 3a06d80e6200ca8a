import { balances, INDEX_PREFIX, nonces, type Snapshot, type Table } from '@switchyard/machine';
import {
  type AccountId,
  type AssetId,
  formatAddress,
  ibcForm,
  type Json,
  parseAddress,
  parseDenom,
  Rejected,
} from '@switchyard/protocol';

/** A table of the state as readers ask for it. */
export interface StateTable {
  readonly name: string;
  readonly prefix: string;
  /** Form of a key, for messages. */
  readonly keyForm: string;
  /** @throws {Rejected} for a text that is no key. */
  storeKey(key: string): string;
  decoded(snapshot: Snapshot, key: string): Json;
  /** In the order of the store. @param after Key in its text form. @throws {Rejected} for a text that is no key. */
  rows(snapshot: Snapshot, limit: number, after?: string): Iterable<{ readonly key: string; readonly decoded: Json }>;
}

interface Shown<K, V> extends Pick<StateTable, 'name' | 'keyForm'> {
  /** @throws {Rejected} for a text that is no key. */
  parseKey(text: string): K;
  /** A text that `parseKey` takes. */
  keyText(key: K): string;
  /** @param value What the table answers; undefined where nothing is stored and that has no meaning. */
  toJson(value: V): Json;
}

/** A table with the text form of its keys and the JSON form of its values. */
export function stateTable<K, V, Absent>(
  { prefix, storeKey, get, range }: Table<K, V, Absent>,
  { name, keyForm, parseKey, keyText, toJson }: Shown<K, V | Absent>,
): StateTable {
  if (prefix.startsWith(INDEX_PREFIX)) throw new Error(`rows under ${prefix} are no part of the state`);
  return {
    name,
    prefix,
    keyForm,
    storeKey: (key) => storeKey(parseKey(key)),
    decoded: (snapshot, key) => toJson(get(snapshot, parseKey(key))),
    *rows(snapshot, limit, after) {
      const place = after === undefined ? {} : { after: parseKey(after) };
      for (const [key, value] of range(snapshot, { ...place, limit })) {
        yield { key: keyText(key), decoded: toJson(value) };
      }
    },
  };
}

/* Tables that every rollup of the framework has. */

export const NONCES = stateTable(nonces, {
  name: 'nonces',
  keyForm: 'ADDRESS',
  parseKey: parseAddress,
  keyText: (account) => formatAddress(account),
  toJson: (nonce) => nonce,
});

export const BALANCES = stateTable(balances, {
  name: 'balances',
  keyForm: 'ADDRESS/ASSET',
  parseKey: balanceKey,
  keyText: ([account, asset]) => `${formatAddress(account)}/${ibcForm(asset)}`,
  toJson: (amount) => String(amount),
});

function balanceKey(text: string): readonly [AccountId, AssetId] {
  const slash = text.indexOf('/');
  if (slash < 0) throw new Rejected('malformed', { field: 'key', expected: 'ADDRESS/ASSET', got: text.slice(0, 100) });
  return [parseAddress(text.slice(0, slash)), parseDenom(text.slice(slash + 1)).id];
}
