import type { Database, DbWriter, Table } from '../database.ts';
import { bytesOf, hexOf, numberOf } from '../hex.ts';
import type { Address, Hash } from '../types.ts';
import { decodeAccount, encodeAccount, encodeNumber } from './account.ts';
import type { AccountState } from './state.ts';
import { decodeTrieRow, encodeTrieRow } from './trie/rows.ts';
import type { TrieRow } from './trie/update.ts';

/** Name of the trie of all accounts; the others go by the address whose storage they hold. */
export const ACCOUNTS = '';
export type TrieName = typeof ACCOUNTS | Address;

/**
 * The tables of the state.
 *
 * `state`: the newest value of every account (key: address) and slot (address, slot).
 * `history`: what such a value was before a block changed it (that key, block number): empty for nothing.
 * `trie`: the newest nodes (address for storage, then the path, a character for each nibble).
 * `trie-history`: what a node was before a block changed it (block number, then that key): for the newest blocks.
 * `code`: by hash. `state-head`: the number of the newest block and its root.
 */
export class StateRows {
  readonly #state: Table;
  readonly #history: Table;
  readonly #trie: Table;
  readonly #trieHistory: Table;
  readonly #code: Table;
  readonly #head: Table;

  constructor(db: Database) {
    this.#state = db.table('state');
    this.#history = db.table('history');
    this.#trie = db.table('trie');
    this.#trieHistory = db.table('trie-history');
    this.#code = db.table('code');
    this.#head = db.table('state-head');
  }

  head(): { readonly number: bigint; readonly root: Uint8Array } | undefined {
    const row = this.#head.get(HEAD_KEY);
    return row && { number: numberOf(row.subarray(0, 8)), root: row.subarray(8) };
  }

  putHead(w: DbWriter, number: bigint, root: Uint8Array): void {
    w.put(this.#head, HEAD_KEY, joined(numberBytes(number), root));
  }

  account(address: Address): AccountState | undefined {
    const row = this.#state.get(bytesOf(address));
    return row && decodeAccount(row);
  }

  slot(address: Address, slot: Hash): bigint {
    const row = this.#state.get(slotKey(address, slot));
    return row === undefined ? 0n : numberOf(row);
  }

  /** Of all slots that are not 0. */
  slots(address: Address): Hash[] {
    // Longer than the address alone, which is the account.
    const from = joined(bytesOf(address), Uint8Array.of(0));
    const rows = this.#state.range({ from, to: joined(bytesOf(address), END) });
    return rows.map(([key]) => hexOf(key.subarray(20)));
  }

  /** What it was when a block after `number` changed it first; undefined when none did. */
  accountBefore(address: Address, number: bigint): { readonly account: AccountState | undefined } | undefined {
    const row = this.#before(bytesOf(address), number);
    return row && { account: row.length === 0 ? undefined : decodeAccount(row) };
  }

  slotBefore(address: Address, slot: Hash, number: bigint): bigint | undefined {
    const row = this.#before(slotKey(address, slot), number);
    return row && numberOf(row);
  }

  putAccount(w: DbWriter, address: Address, account: AccountState | undefined): void {
    const key = bytesOf(address);
    if (account === undefined) w.remove(this.#state, key);
    else w.put(this.#state, key, encodeAccount(account));
  }

  putSlot(w: DbWriter, address: Address, slot: Hash, value: bigint): void {
    const key = slotKey(address, slot);
    if (value === 0n) w.remove(this.#state, key);
    else w.put(this.#state, key, encodeNumber(value));
  }

  putAccountBefore(w: DbWriter, address: Address, number: bigint, account: AccountState | undefined): void {
    const value = account === undefined ? EMPTY : encodeAccount(account);
    w.put(this.#history, joined(bytesOf(address), numberBytes(number)), value);
  }

  putSlotBefore(w: DbWriter, address: Address, slot: Hash, number: bigint, value: bigint): void {
    w.put(this.#history, joined(slotKey(address, slot), numberBytes(number)), encodeNumber(value));
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#code.get(bytesOf(hash));
  }

  putCode(w: DbWriter, hash: Hash, code: Uint8Array): void {
    w.put(this.#code, bytesOf(hash), code);
  }

  trieRow(trie: TrieName, path: string): TrieRow | undefined {
    const row = this.#trie.get(trieKey(trie, path));
    return row && decodeTrieRow(row);
  }

  /** As it was after block `number`; `head` is the newest. */
  trieRowAt(trie: TrieName, path: string, number: bigint, head: bigint): TrieRow | undefined {
    const key = trieKey(trie, path);
    for (let later = number + 1n; later <= head; later++) {
      const row = this.#trieHistory.get(joined(numberBytes(later), key));
      if (row !== undefined) return row.length === 0 ? undefined : decodeTrieRow(row);
    }
    return this.trieRow(trie, path);
  }

  /** @param history Whether to keep what it was. */
  putTrieRow(
    w: DbWriter,
    trie: TrieName,
    path: string,
    number: bigint,
    row: TrieRow | undefined,
    history: boolean,
  ): void {
    const key = trieKey(trie, path);
    if (history) w.put(this.#trieHistory, joined(numberBytes(number), key), this.#trie.get(key) ?? EMPTY);
    if (row === undefined) w.remove(this.#trie, key);
    else w.put(this.#trie, key, encodeTrieRow(row));
  }

  /** Forgets what nodes were before a block. */
  forgetTrieRows(w: DbWriter, number: bigint): void {
    for (const [key] of this.#trieHistory.range({ to: numberBytes(number + 1n) })) w.remove(this.#trieHistory, key);
  }

  #before(key: Uint8Array, number: bigint): Uint8Array | undefined {
    const found = this.#history.atOrAfter(joined(key, numberBytes(number + 1n)));
    if (found === undefined) return undefined;
    const [row, value] = found;
    if (row.length !== key.length + 8) return undefined;
    for (let index = 0; index < key.length; index++) if (row[index] !== key[index]) return undefined;
    return value;
  }
}

const HEAD_KEY = Uint8Array.of(1);
const EMPTY = new Uint8Array();
/** Sorts after every slot. */
const END = new Uint8Array(33).fill(0xff);

function slotKey(address: Address, slot: Hash): Uint8Array {
  return bytesOf(`0x${address.slice(2)}${slot.slice(2)}`);
}

function trieKey(trie: TrieName, path: string): Uint8Array {
  // The trie of accounts has keys of its own kind: no key of another is so short, or begins like it.
  if (trie === ACCOUNTS) return Buffer.from(`a${path}`, 'latin1');
  return joined(STORAGE, bytesOf(trie), Buffer.from(path, 'latin1'));
}

const STORAGE = Uint8Array.of(0x73);

function numberBytes(number: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, number);
  return bytes;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
