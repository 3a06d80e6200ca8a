import { EMPTY_CODE_HASH, EMPTY_ROOT } from '@switchyard/evm-machine/account';
import type { AccountState } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { HistoryGone } from '../chain/chain.ts';
import type { Database, DbWriter } from '../database/database.ts';
import { ChangedKeys } from './changed-keys.ts';
import { CommittedTrie, type Lateness } from './committed-trie.ts';
import { GenerationalCache } from './generational-cache.ts';
import { moveTries } from './move.ts';
import { StateRows } from './rows.ts';
import { type Base, SealedState } from './sealed.ts';

/** For this many blocks back from the newest, proofs can be made. */
export const PROVABLE_BLOCKS = 128n;
/** Nor when more accounts and slots than these changed since: each takes about 30 microseconds of hashing. */
const PROVABLE_CHANGES = 20_000;

/** How much of the newest state stays in memory, in entries. An account takes about 250 bytes. */
const HOT_ACCOUNTS = 100_000;
const HOT_SLOTS = 100_000;
const HOT_CODES = 512;

const EMPTY = new Uint8Array();

/** Remembered of an account: also that it is not there. */
interface Known {
  readonly account: AccountState | undefined;
}

/** The states on disk. The newest values also in memory, if hot. */
export class CommittedStates {
  readonly #rows: StateRows;
  readonly #keys: ChangedKeys;
  readonly #trie: CommittedTrie;
  #head: bigint | undefined;
  #root: Hash = EMPTY_ROOT;
  readonly #accounts = new GenerationalCache<Address, Known>(HOT_ACCOUNTS);
  readonly #slots = new GenerationalCache<string, bigint>(HOT_SLOTS);
  readonly #codes = new GenerationalCache<Hash, Uint8Array>(HOT_CODES);
  /** Writer of the write in progress, or of the last one. */
  #writer: DbWriter | undefined;
  /** The last old state that was made provable. */
  #provable: { readonly number: bigint; readonly head: bigint; readonly state: Base } | undefined;

  /** @throws {Error} when the trie on disk cannot be brought to the newest block. */
  constructor(db: Database, lateness: Lateness) {
    this.#rows = new StateRows(db);
    this.#keys = new ChangedKeys(db);
    this.#trie = new CommittedTrie(this.#rows, lateness);
    const head = this.#rows.head('state');
    if (head === undefined) return;
    this.#head = head.number;
    this.#root = head.root;
    this.#trie.catchUp(head, this.#keys, this.at(head.number));
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
    const newest = (what: string): void => {
      if (this.#head !== number) throw new Error(`${what} asked of block ${number}, but ${this.#head} is the newest`);
    };
    return {
      account: (address) => (this.#head === number ? this.#account(address) : this.#accountAt(address, number)),
      storage: (address, slot) =>
        this.#head === number ? this.#slot(address, slot) : this.#slotAt(address, slot, number),
      code: (codeHash) => this.#code(codeHash),
      trieRow: (trie, path) => {
        newest('its trie is');
        return this.#trie.row(trie, path);
      },
      getSlots: (address) => {
        newest(`the slots of ${address} are`);
        return this.#rows.slots(address);
      },
    };
  }

  /** See `StateRows.accountsNow`. */
  accountsNow(): Iterable<readonly Address[]> {
    return this.#rows.accountsNow();
  }

  slotsEver(address: Address): Iterable<readonly Hash[]> {
    return this.#rows.slotsEver(address);
  }

  /**
   * With the tries of that block, for proofs.
   *
   * @throws {HistoryGone} if they cannot be made from those of the newest block.
   */
  provable(number: bigint): Base {
    const state = this.at(number);
    const head = this.#head ?? 0n;
    if (number === head) return state;
    if (this.#provable?.number === number && this.#provable.head === head) return this.#provable.state;
    if (number + PROVABLE_BLOCKS < head) {
      throw new HistoryGone(
        `no proofs for block ${number}: they can be made from block ${head - PROVABLE_BLOCKS} on, its state can be read`,
      );
    }
    const keys = this.#keys.between(number, head, PROVABLE_CHANGES);
    if (keys === undefined) {
      throw new HistoryGone(`no proofs for block ${number}: more than ${PROVABLE_CHANGES} values changed since`);
    }
    const { root, tries } = moveTries(this.at(head), keys, state);
    const changes = { accounts: new Map(), slots: new Map(), codes: new Map(), tries };
    const newest = this.at(head);
    const below: Base = {
      ...state,
      trieRow: newest.trieRow,
      *getSlots(address) {
        for (const slot of new Set([...newest.getSlots(address), ...(keys.slots.get(address) ?? [])])) {
          if (state.storage(address, slot) !== 0n) yield slot;
        }
      },
    };
    const made = new SealedState(root, changes, below);
    this.#provable = { number, head, state: made };
    return made;
  }

  /** Memory follows when the writer has committed. @param sealed On top of the newest block, or of one written before it. */
  write(w: DbWriter, number: bigint, sealed: SealedState): void {
    const { accounts, slots, codes, tries } = sealed.changes;
    const rows = this.#rows;
    const first = number === 0n;
    this.#begin(w);
    // In the order of the keys: neighbours are on one page.
    for (const [address, { before, after }] of sorted(accounts)) {
      rows.putAccount(w, address, after);
      if (!first) rows.putAccountBefore(w, address, number, before);
    }
    for (const [address, changed] of sorted(slots)) {
      for (const [slot, { before, after }] of sorted(changed)) {
        rows.putSlot(w, address, slot, after);
        if (!first) rows.putSlotBefore(w, address, slot, number, before);
      }
    }
    for (const [hash, code] of codes) rows.putCode(w, hash, code);
    const head = { number, root: sealed.root };
    let changes = accounts.size;
    for (const changed of slots.values()) changes += changed.size;
    this.#trie.write(w, head, tries, changes);
    if (!first) this.#keys.put(w, number, accounts, slots);
    if (number > PROVABLE_BLOCKS) this.#keys.forget(w, number - PROVABLE_BLOCKS);
    rows.putHead(w, 'state', head);
    w.afterCommit(() => this.#written(number, sealed));
  }

  /** Two processes on one database would each undo the other's work. */
  #begin(w: DbWriter): void {
    if (this.#writer === w) return;
    this.#writer = w;
    const found = this.#rows.head('state')?.number;
    if (found === this.#head) return;
    const here = this.#head === undefined ? 'no block' : `block ${this.#head}`;
    throw new Error(
      `the database is at block ${found}, this process at ${here}: another process writes to it, stop one`,
    );
  }

  #written(number: bigint, sealed: SealedState): void {
    const { accounts, slots, codes } = sealed.changes;
    for (const [address, { after }] of accounts) this.#accounts.set(address, { account: after });
    for (const [address, changed] of slots) {
      for (const [slot, { after }] of changed) this.#slots.set(address + slot, after);
    }
    for (const [hash, code] of codes) this.#codes.set(hash, code);
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
}

function sorted<K extends string, V>(map: ReadonlyMap<K, V>): [K, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
