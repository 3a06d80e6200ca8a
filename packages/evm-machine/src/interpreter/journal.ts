import { keccakHex } from '@switchyard/protocol/ethereum';
import type { AccessRecorder } from '../access-lists/recorder.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../state/account.ts';
import type { AccountState, StateReader, StateWriter } from '../state/state.ts';
import type { Address, Hash, Log } from '../types.ts';
import { Code, getCode, NO_CODE } from './code.ts';
import type { Rules } from './rules.ts';
import { areEqual, bigAt, copyWord, isZeroAt, PARTS, setBig } from './words.ts';

/** EIP-8246: the rest of a destroyed contract besides its balance. */
const NOTHING = { nonce: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_ROOT };
/** The word 0. */
export const ZERO = 0;
/** More than most transactions need. */
const FIRST_WORDS = 32;
/** Words of capacity that stay for the next transaction. */
const KEPT_WORDS = 8_192;
/** Touched by a call that failed, it was removed on Ethereum all the same, in block 2,675,119. */
const RIPEMD: Address = '0x0000000000000000000000000000000000000003';

/** An account as a transaction has it so far. Written by its journal only. */
export interface Account {
  readonly address: Address;
  /** State of the account as the transaction found it. */
  readonly before: AccountState | undefined;
  exists: boolean;
  nonce: bigint;
  balance: bigint;
  codeHash: Hash;
  code: Code | undefined;
  readonly storageRoot: Hash;
  isWarm: boolean;
  /** EIP-7928: whether it was looked at, for any reason. It was found already when its price was computed. */
  isAccessed: boolean;
  isTouched: boolean;
  isCreated: boolean;
  isDestroyed: boolean;
  slots: Map<Hash, Slot> | undefined;
  transient: Map<Hash, number> | undefined;
}

/** Values are places in `Journal.words`. */
export interface Slot {
  readonly key: Hash;
  /** When the transaction began. */
  readonly original: number;
  current: number;
  isWarm: boolean;
  /** EIP-7928, see `Account`. */
  isAccessed: boolean;
}

/**
 * Reads and changes of one transaction, on top of a state that it writes to when it ends. Every change can be undone,
 * at a cost of as many steps as there are changes. Words are never overwritten, so that undoing one is a place.
 */
export class Journal {
  words = new Uint32Array(FIRST_WORDS * PARTS);
  refund = 0;
  readonly logs: Log[] = [];
  readonly #state: StateWriter;
  readonly #warm: ReadonlyMap<Address, unknown>;
  readonly #recorder: AccessRecorder | undefined;
  readonly #accounts = new Map<Address, Account>();
  readonly #undo: (() => void)[] = [];
  #end = PARTS;

  /**
   * @param warm Addresses that are warm from the beginning.
   * @param recorder Gets the accessed keys when the transaction ends.
   */
  constructor(state: StateWriter, warm: ReadonlyMap<Address, unknown>, recorder: AccessRecorder | undefined) {
    this.#state = state;
    this.#warm = warm;
    this.#recorder = recorder;
  }

  /** Before a transaction. */
  clear(): void {
    this.#accounts.clear();
    this.#undo.length = 0;
    this.logs.length = 0;
    this.refund = 0;
    this.#end = PARTS;
    if (this.words.length > KEPT_WORDS * PARTS) this.words = new Uint32Array(FIRST_WORDS * PARTS);
  }

  account(address: Address): Account {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    const before = this.#state.account(address);
    const account: Account = {
      address,
      before,
      exists: before !== undefined,
      nonce: before?.nonce ?? 0n,
      balance: before?.balance ?? 0n,
      codeHash: before?.codeHash ?? EMPTY_CODE_HASH,
      code: undefined,
      storageRoot: before?.storageRoot ?? EMPTY_ROOT,
      isWarm: this.#warm.has(address),
      isAccessed: false,
      isTouched: false,
      isCreated: false,
      isDestroyed: false,
      slots: undefined,
      transient: undefined,
    };
    this.#accounts.set(address, account);
    return account;
  }

  code(account: Account): Code {
    account.code ??= account.codeHash === EMPTY_CODE_HASH ? NO_CODE : getCode(this.#state, account.codeHash);
    return account.code;
  }

  slot(account: Account, key: Hash): Slot {
    const known = account.slots?.get(key);
    if (known !== undefined) return known;
    // A new contract has no storage of before.
    const value = account.isCreated ? 0n : this.#state.storage(account.address, key);
    const place = value === 0n ? ZERO : this.#placeOf(value);
    const slot: Slot = { key, original: place, current: place, isWarm: false, isAccessed: false };
    account.slots ??= new Map();
    account.slots.set(key, slot);
    return slot;
  }

  mark(): number {
    return this.#undo.length;
  }

  /** Undoes all since the mark. Logs and refunds are cut by the caller, which knows their numbers. */
  revert(mark: number): void {
    const undo = this.#undo;
    for (let index = undo.length - 1; index >= mark; index--) undo[index]?.();
    undo.length = mark;
  }

  /** @returns Whether it was cold. */
  warm(account: Account): boolean {
    if (account.isWarm) return false;
    account.isWarm = true;
    this.#undo.push(() => {
      account.isWarm = false;
    });
    return true;
  }

  /** @returns Whether it was cold. */
  warmSlot(slot: Slot): boolean {
    if (slot.isWarm) return false;
    slot.isWarm = true;
    this.#undo.push(() => {
      slot.isWarm = false;
    });
    return true;
  }

  store(slot: Slot, words: Uint32Array, at: number): void {
    const before = slot.current;
    slot.current = this.#place(words, at);
    this.#undo.push(() => {
      slot.current = before;
    });
  }

  transient(account: Account, key: Hash): number {
    return account.transient?.get(key) ?? ZERO;
  }

  storeTransient(account: Account, key: Hash, words: Uint32Array, at: number): void {
    account.transient ??= new Map();
    const { transient } = account;
    const before = transient.get(key);
    transient.set(key, this.#place(words, at));
    this.#undo.push(() => {
      if (before === undefined) transient.delete(key);
      else transient.set(key, before);
    });
  }

  /** EIP-161: it is removed when the transaction ends, if it is empty then. */
  touch(account: Account): void {
    if (account.isTouched) return;
    account.isTouched = true;
    account.isAccessed = true;
    if (account.address === RIPEMD) return;
    this.#undo.push(() => {
      account.isTouched = false;
    });
  }

  setBalance(account: Account, balance: bigint): void {
    const { balance: before, exists } = account;
    this.touch(account);
    account.balance = balance;
    account.exists = true;
    this.#undo.push(() => {
      account.balance = before;
      account.exists = exists;
    });
  }

  setNonce(account: Account, nonce: bigint): void {
    const { nonce: before, exists } = account;
    this.touch(account);
    account.nonce = nonce;
    account.exists = true;
    this.#undo.push(() => {
      account.nonce = before;
      account.exists = exists;
    });
  }

  setCode(account: Account, code: Uint8Array): void {
    const { code: before, codeHash, exists } = account;
    this.touch(account);
    account.code = code.length === 0 ? NO_CODE : new Code(code);
    account.codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccakHex(code);
    account.exists = true;
    this.#undo.push(() => {
      account.code = before;
      account.codeHash = codeHash;
      account.exists = exists;
    });
  }

  /** Makes it a new contract. The address had neither code nor storage, so that its slots, of which some are warm, are 0. */
  create(account: Account, nonce: bigint): void {
    const { isCreated, isDestroyed } = account;
    this.setNonce(account, nonce);
    account.isCreated = true;
    account.isDestroyed = false;
    this.#undo.push(() => {
      account.isCreated = isCreated;
      account.isDestroyed = isDestroyed;
    });
  }

  /** It is gone when the transaction ends. */
  destroy(account: Account): void {
    if (account.isDestroyed) return;
    account.isDestroyed = true;
    this.touch(account);
    this.#undo.push(() => {
      account.isDestroyed = false;
    });
  }

  isZero(place: number): boolean {
    return place === ZERO || isZeroAt(this.words, place);
  }

  /** Writes the changes to the state. */
  end({ removesEmpty, keepsBalance }: Pick<Rules, 'removesEmpty' | 'keepsBalance'>): void {
    const recorder = this.#recorder;
    for (const account of this.#accounts.values()) {
      const leavesBalance = account.isDestroyed && keepsBalance && account.balance > 0n;
      const isGone = !leavesBalance && (account.isDestroyed || (removesEmpty && account.isTouched && isEmpty(account)));
      const remainder = leavesBalance ? { ...NOTHING, balance: account.balance } : undefined;
      if (recorder !== undefined && account.isAccessed)
        this.#record(recorder, account, isGone || !account.exists ? undefined : (remainder ?? account));
      if (remainder !== undefined) this.#state.putAccount(account.address, remainder);
      else if (isGone) {
        if (account.before !== undefined) this.#state.putAccount(account.address, undefined);
      } else if (account.exists) this.#write(account);
    }
    // From here on the view shows the values of the state.
    this.#accounts.clear();
    this.#undo.length = 0;
  }

  /** @param after The new account. */
  #record(recorder: AccessRecorder, account: Account, after: AccountState | undefined): void {
    const { address, before, slots } = account;
    recorder.account(address, before, after, () => this.code(account).content);
    if (slots === undefined) return;
    for (const { key, original, current, isAccessed } of slots.values()) {
      if (!isAccessed) continue;
      const value = bigAt(this.words, original);
      recorder.slot(
        address,
        key,
        value,
        after !== account || current === original ? value : bigAt(this.words, current),
      );
    }
  }

  #write(account: Account): void {
    const { address, before, nonce, balance, codeHash, code, storageRoot, slots } = account;
    if (code !== undefined && codeHash !== before?.codeHash && codeHash !== EMPTY_CODE_HASH) {
      this.#state.putCode(code.content);
    }
    const isSame =
      before !== undefined && before.nonce === nonce && before.balance === balance && before.codeHash === codeHash;
    if (!isSame) this.#state.putAccount(address, { nonce, balance, codeHash, storageRoot });
    if (slots === undefined) return;
    for (const { key, original, current } of slots.values()) {
      if (original === current || areEqual(this.words, original, this.words, current)) continue;
      this.#state.putStorage(address, key, bigAt(this.words, current));
    }
  }

  #placeOf(value: bigint): number {
    const place = this.#reserve();
    setBig(this.words, place, value);
    return place;
  }

  #place(words: Uint32Array, at: number): number {
    if (isZeroAt(words, at)) return ZERO;
    const place = this.#reserve();
    copyWord(words, at, this.words, place);
    return place;
  }

  #reserve(): number {
    const place = this.#end;
    if (place + PARTS > this.words.length) {
      const larger = new Uint32Array(2 * this.words.length);
      larger.set(this.words);
      this.words = larger;
    }
    this.#end += PARTS;
    return place;
  }

  /** Live: the changes of the transaction so far. */
  readonly view: StateReader = {
    account: (address) => {
      const account = this.#accounts.get(address);
      if (account === undefined) return this.#state.account(address);
      const { exists, nonce, balance, codeHash, storageRoot } = account;
      return exists ? { nonce, balance, codeHash, storageRoot } : undefined;
    },
    storage: (address, key) => {
      const account = this.#accounts.get(address);
      const slot = account?.slots?.get(key);
      if (slot !== undefined) return bigAt(this.words, slot.current);
      return account?.isCreated === true ? 0n : this.#state.storage(address, key);
    },
    code: (hash) => {
      for (const { codeHash, code } of this.#accounts.values()) {
        if (codeHash === hash && code !== undefined) return code.content;
      }
      return this.#state.code(hash);
    },
  };
}

export function isEmpty({ nonce, balance, codeHash }: Pick<Account, 'nonce' | 'balance' | 'codeHash'>): boolean {
  return nonce === 0n && balance === 0n && codeHash === EMPTY_CODE_HASH;
}
