import { HistoryGone } from '../chain/chain.ts';
import type { Database, DbWriter } from '../database.ts';
import { bytesOf, hexOf } from '../hex.ts';
import type { Address, Hash } from '../types.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from './account.ts';
import { Recent } from './recent.ts';
import { StateRows, type TrieName } from './rows.ts';
import type { Base, SealedState } from './sealed.ts';
import type { AccountState } from './state.ts';
import type { TrieRow } from './trie/update.ts';

/** For so many blocks back from the newest, proofs can be made. */
export const PROVABLE_BLOCKS = 128n;

/** How much of the newest state stays in memory, in entries. An account takes about 250 bytes, a node of a trie 1 KB. */
const HOT_ACCOUNTS = 100_000;
const HOT_SLOTS = 100_000;
const HOT_CODES = 512;
const HOT_NODES = 32_768;

const EMPTY = new Uint8Array();

/** Remembered of an account: also that it is not there. */
interface Known {
  readonly account: AccountState | undefined;
}

/** The states on disk. The newest values also in memory, as far as they are hot. */
export class CommittedStates {
  readonly #rows: StateRows;
  #head: bigint | undefined;
  #root: Hash = EMPTY_ROOT;
  readonly #accounts = new Recent<Address, Known>(HOT_ACCOUNTS);
  readonly #slots = new Recent<string, bigint>(HOT_SLOTS);
  readonly #codes = new Recent<Hash, Uint8Array>(HOT_CODES);
  readonly #nodes = new Recent<string, TrieRow>(HOT_NODES);

  constructor(db: Database) {
    this.#rows = new StateRows(db);
    const head = this.#rows.head();
    if (head === undefined) return;
    this.#head = head.number;
    this.#root = hexOf(head.root);
  }

  /** Number of the newest block; undefined before the genesis. */
  get head(): bigint | undefined {
    return this.#head;
  }

  get root(): Hash {
    return this.#root;
  }

  /** @throws {HistoryGone} above the newest block. */
  at(number: bigint): Base {
    const head = this.#head ?? -1n;
    if (number > head || number < 0n) throw new HistoryGone(`no state of block ${number}: the newest is ${head}`);
    return {
      account: (address) => (this.#head === number ? this.#account(address) : this.#accountAt(address, number)),
      storage: (address, slot) =>
        this.#head === number ? this.#slot(address, slot) : this.#slotAt(address, slot, number),
      code: (codeHash) => this.#code(codeHash),
      trieRow: (trie, path) =>
        this.#head === number ? this.#trieRow(trie, path) : this.#trieRowAt(trie, path, number),
      slotsOf: (address) => {
        if (this.#head !== number) throw new Error(`the slots of ${address} are listed for the newest block only`);
        return this.#rows.slots(address);
      },
    };
  }

  /** Memory follows when the writer has committed. @param sealed On top of the newest block, or the one written before it. */
  write(w: DbWriter, number: bigint, sealed: SealedState): void {
    const { accounts, slots, codes, tries } = sealed.changes;
    const rows = this.#rows;
    const first = number === 0n;
    for (const [address, { before, after }] of accounts) {
      rows.putAccount(w, address, after);
      if (!first) rows.putAccountBefore(w, address, number, before);
    }
    for (const [address, changed] of slots) {
      for (const [slot, { before, after }] of changed) {
        rows.putSlot(w, address, slot, after);
        if (!first) rows.putSlotBefore(w, address, slot, number, before);
      }
    }
    for (const [hash, code] of codes) rows.putCode(w, hash, code);
    for (const [trie, changed] of tries) {
      for (const [path, row] of changed) rows.putTrieRow(w, trie, path, number, row, !first);
    }
    if (number > PROVABLE_BLOCKS) rows.forgetTrieRows(w, number - PROVABLE_BLOCKS);
    rows.putHead(w, number, bytesOf(sealed.root));
    w.afterCommit(() => this.#written(number, sealed));
  }

  #written(number: bigint, sealed: SealedState): void {
    const { accounts, slots, codes, tries } = sealed.changes;
    for (const [address, { after }] of accounts) this.#accounts.set(address, { account: after });
    for (const [address, changed] of slots) {
      for (const [slot, { after }] of changed) this.#slots.set(address + slot, after);
    }
    for (const [hash, code] of codes) this.#codes.set(hash, code);
    for (const [trie, changed] of tries) {
      for (const [path, row] of changed) {
        if (row === undefined) this.#nodes.delete(trie + path);
        else this.#nodes.set(trie + path, row);
      }
    }
    this.#head = number;
    this.#root = sealed.root;
    sealed.written(this.at(number));
  }

  #account(address: Address): AccountState | undefined {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known.account;
    const account = this.#rows.account(address);
    this.#accounts.set(address, { account });
    return account;
  }

  #accountAt(address: Address, number: bigint): AccountState | undefined {
    const before = this.#rows.accountBefore(address, number);
    return before === undefined ? this.#account(address) : before.account;
  }

  #slot(address: Address, slot: Hash): bigint {
    const key = address + slot;
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const value = this.#rows.slot(address, slot);
    this.#slots.set(key, value);
    return value;
  }

  #slotAt(address: Address, slot: Hash, number: bigint): bigint {
    return this.#rows.slotBefore(address, slot, number) ?? this.#slot(address, slot);
  }

  #code(codeHash: Hash): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY;
    const known = this.#codes.get(codeHash);
    if (known !== undefined) return known;
    const code = this.#rows.code(codeHash);
    if (code === undefined) throw new Error(`the state has no code with hash ${codeHash}`);
    this.#codes.set(codeHash, code);
    return code;
  }

  #trieRow(trie: TrieName, path: string): TrieRow | undefined {
    const key = trie + path;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const row = this.#rows.trieRow(trie, path);
    if (row !== undefined) this.#nodes.set(key, row);
    return row;
  }

  #trieRowAt(trie: TrieName, path: string, number: bigint): TrieRow | undefined {
    const head = this.#head ?? 0n;
    if (number + PROVABLE_BLOCKS < head) {
      const first = head - PROVABLE_BLOCKS;
      throw new HistoryGone(`no proofs for block ${number}: they can be made from block ${first} on`);
    }
    return this.#rows.trieRowAt(trie, path, number, head);
  }
}
