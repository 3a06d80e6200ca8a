import { decodeAccount, encodeAccount, encodeNumber } from '@switchyard/evm-machine/account';
import type { AccountState } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToBigInt, bytesToHex, putHex, putUint64 } from '@switchyard/protocol/ethereum';
import type { Database, DbWriter, Row, Table } from '../database/database.ts';
import { bytesOfNumber } from './bytes.ts';
import { decodeTrieRow, encodeTrieRow } from './trie/rows.ts';
import type { TrieRow } from './trie/update.ts';

/** Name of the trie of all accounts; the others go by the address whose storage they hold. */
export const ACCOUNTS = '';
export type TrieName = typeof ACCOUNTS | Address;

/** A row of a trie by its trie and path in one: an address, or nothing, then nibbles in hex. */
export type NodeName = string;

export interface Head {
  readonly number: bigint;
  readonly root: Hash;
}

/**
 * The tables of the state.
 *
 * `accounts`: the newest value of every account (key: address). `slots`: of every slot (address, slot) that is not 0.
 * `account-history`, `slot-history`: the value before a block changed it (that key, number of the block);
 * empty for nothing. All keys of one of them are equally long: one row comes right after those before it.
 * `trie`: nodes (`a` and path, or `s`, address and path; a character for each nibble).
 * `code`: by hash.
 * `state-heads`: number and root of the newest block, and the same of the block whose trie is in `trie`.
 */
export class StateRows {
  readonly #accounts: Table;
  readonly #slots: Table;
  readonly #accountHistory: Table;
  readonly #slotHistory: Table;
  readonly #trie: Table;
  readonly #code: Table;
  readonly #heads: Table;

  constructor(db: Database) {
    this.#accounts = db.table('accounts');
    this.#slots = db.table('slots');
    this.#accountHistory = db.table('account-history');
    this.#slotHistory = db.table('slot-history');
    this.#trie = db.table('trie');
    this.#code = db.table('code');
    this.#heads = db.table('state-heads');
  }

  /** @param of The newest block, or the one whose trie is on disk. */
  head(item: 'state' | 'trie'): Head | undefined {
    const row = this.#heads.get(HEAD_KEYS[item]);
    return row && decodeHead(row);
  }

  putHead(w: DbWriter, item: 'state' | 'trie', { number, root }: Head): void {
    const row = new Uint8Array(40);
    row.set(bytesOfNumber(number));
    putHex(row, 8, root);
    w.put(this.#heads, HEAD_KEYS[item], row);
  }

  account(address: Address): AccountState | undefined {
    const row = this.#accounts.get(accountKey(address));
    return row && decodeAccount(row);
  }

  slot(address: Address, slot: Hash): bigint {
    const row = this.#slots.get(slotKey(address, slot));
    return row === undefined ? 0n : bytesToBigInt(row);
  }

  /** Keys of all slots that are not 0. */
  slots(address: Address): Hash[] {
    const from = new Uint8Array(20);
    const to = new Uint8Array(53).fill(0xff);
    putHex(from, 0, address);
    putHex(to, 0, address);
    return this.#slots.range({ from, to }).map(([key]) => bytesToHex(key.subarray(20)));
  }

  /** All there are now, in pieces as `slotsEver`. */
  *accountsNow(): Generator<readonly Address[]> {
    for (const rows of pieces(this.#accounts)) yield rows.map(([key]) => bytesToHex(key));
  }

  /**
   * Slots that have a value, or had one before a block whose old state is kept; some of them twice. Each piece is one
   * short read of the present rows.
   */
  *slotsEver(address: Address): Generator<readonly Hash[]> {
    const prefix = new Uint8Array(20);
    putHex(prefix, 0, address);
    const to = new Uint8Array(53).fill(0xff);
    to.set(prefix);
    for (const rows of pieces(this.#slots, prefix, to)) yield rows.map(([key]) => bytesToHex(key.subarray(20)));
    let next: Uint8Array | undefined = prefix;
    while (next !== undefined) {
      const piece: Hash[] = [];
      while (next !== undefined && piece.length < PIECE) {
        const key: Uint8Array | undefined = this.#slotHistory.atOrAfter(next)?.[0];
        if (key === undefined || Buffer.compare(key.subarray(0, 20), prefix) !== 0) next = undefined;
        else {
          piece.push(bytesToHex(key.subarray(20, 52)));
          // Past all blocks that changed it.
          next = Uint8Array.from(key).fill(0xff, 52);
        }
      }
      yield piece;
    }
  }

  /** The account before the first block after `number` that changed it; undefined when none did. */
  accountBefore(address: Address, number: bigint): { readonly account: AccountState | undefined } | undefined {
    const row = before(this.#accountHistory, accountKey(address), number);
    return row && { account: row.length === 0 ? undefined : decodeAccount(row) };
  }

  slotBefore(address: Address, slot: Hash, number: bigint): bigint | undefined {
    const row = before(this.#slotHistory, slotKey(address, slot), number);
    return row && bytesToBigInt(row);
  }

  putAccount(w: DbWriter, address: Address, account: AccountState | undefined): void {
    if (account === undefined) w.remove(this.#accounts, accountKey(address));
    else w.put(this.#accounts, accountKey(address), encodeAccount(account));
  }

  putSlot(w: DbWriter, address: Address, slot: Hash, value: bigint): void {
    if (value === 0n) w.remove(this.#slots, slotKey(address, slot));
    else w.put(this.#slots, slotKey(address, slot), encodeNumber(value));
  }

  putAccountBefore(w: DbWriter, address: Address, number: bigint, account: AccountState | undefined): void {
    const value = account === undefined ? EMPTY : encodeAccount(account);
    w.put(this.#accountHistory, historyKey(accountKey(address), number), value);
  }

  putSlotBefore(w: DbWriter, address: Address, slot: Hash, number: bigint, value: bigint): void {
    w.put(this.#slotHistory, historyKey(slotKey(address, slot), number), encodeNumber(value));
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#code.get(codeKey(hash));
  }

  putCode(w: DbWriter, hash: Hash, code: Uint8Array): void {
    w.put(this.#code, codeKey(hash), code);
  }

  node(name: NodeName): TrieRow | undefined {
    const row = this.#trie.get(nodeKey(name));
    return row && decodeTrieRow(row);
  }

  putNode(w: DbWriter, name: NodeName, row: TrieRow | undefined): void {
    if (row === undefined) w.remove(this.#trie, nodeKey(name));
    else w.put(this.#trie, nodeKey(name), encodeTrieRow(row));
  }
}

export function decodeHead(row: Uint8Array): Head {
  return { number: bytesToBigInt(row.subarray(0, 8)), root: bytesToHex(row.subarray(8)) };
}

/** Rows of a table, this many at a time; none is open between. */
function* pieces(table: Table, first?: Uint8Array, to?: Uint8Array): Generator<readonly Row[]> {
  for (let from = first; ; ) {
    const rows = table.range({ limit: PIECE, ...(from && { from }), ...(to && { to }) });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PIECE) return;
    // The next greater key of all.
    from = Uint8Array.of(...last[0], 0);
  }
}

/** The first row of a key whose block is after `number`. */
function before(history: Table, key: Uint8Array, number: bigint): Uint8Array | undefined {
  const found = history.atOrAfter(historyKey(key, number + 1n));
  if (found === undefined) return undefined;
  const [row, value] = found;
  for (let index = 0; index < key.length; index++) if (row[index] !== key[index]) return undefined;
  return value;
}

/** Keys of `state-heads`. */
export const HEAD_KEYS = { state: Uint8Array.of(1), trie: Uint8Array.of(2) };
const EMPTY = new Uint8Array();
/** Rows that are read at once. */
const PIECE = 500;

// Keys live until the next one of their kind: the database takes a copy at once.
const accountBytes = new Uint8Array(20);
const slotBytes = new Uint8Array(52);
const codeBytes = new Uint8Array(32);
const accountHistoryBytes = new Uint8Array(28);
const slotHistoryBytes = new Uint8Array(60);

function accountKey(address: Address): Uint8Array {
  putHex(accountBytes, 0, address);
  return accountBytes;
}

function slotKey(address: Address, slot: Hash): Uint8Array {
  putHex(slotBytes, 0, address);
  putHex(slotBytes, 20, slot);
  return slotBytes;
}

function codeKey(hash: Hash): Uint8Array {
  putHex(codeBytes, 0, hash);
  return codeBytes;
}

/** @param key Of an account or a slot. */
function historyKey(key: Uint8Array, number: bigint): Uint8Array {
  const bytes = key.length === 20 ? accountHistoryBytes : slotHistoryBytes;
  bytes.set(key);
  putUint64(bytes, key.length, number);
  return bytes;
}

const ADDRESS_LENGTH = 42;

function nodeKey(name: NodeName): Uint8Array {
  const storage = name.startsWith('0x');
  const start = storage ? ADDRESS_LENGTH : 0;
  const head = storage ? 21 : 1;
  const key = new Uint8Array(head + name.length - start);
  key[0] = storage ? 0x73 : 0x61;
  if (storage) putHex(key, 1, name.slice(0, ADDRESS_LENGTH));
  for (let index = start; index < name.length; index++) key[head + index - start] = name.charCodeAt(index);
  return key;
}
