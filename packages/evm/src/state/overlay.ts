import { keccakHex } from '../keccak.ts';
import type { Address, Hash } from '../types.ts';
import { EMPTY_ROOT } from './account.ts';
import type { AccountState, StateReader, StateWriter } from './state.ts';

/** Writes on top of a state that stays as it is. What a block changes, or a call that leaves nothing behind. */
export class StateOverlay implements StateWriter {
  readonly base: StateReader;
  /** Undefined: removed. */
  readonly accounts = new Map<Address, AccountState | undefined>();
  readonly slots = new Map<Address, Map<Hash, bigint>>();
  /** Accounts of whose storage nothing of the base is left. */
  readonly cleared = new Set<Address>();
  readonly codes = new Map<Hash, Uint8Array>();
  /** What undoes each write since the first checkpoint. */
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: number[] = [];

  constructor(base: StateReader) {
    this.base = base;
  }

  account(address: Address): AccountState | undefined {
    const own = this.accounts.get(address);
    return own !== undefined || this.accounts.has(address) ? own : this.base.account(address);
  }

  storage(address: Address, slot: Hash): bigint {
    const own = this.slots.get(address)?.get(slot);
    if (own !== undefined) return own;
    return this.cleared.has(address) ? 0n : this.base.storage(address, slot);
  }

  code(codeHash: Hash): Uint8Array {
    return this.codes.get(codeHash) ?? this.base.code(codeHash);
  }

  putAccount(address: Address, account: AccountState | undefined): void {
    const { accounts } = this;
    if (this.#checkpoints.length > 0) {
      const before = accounts.get(address);
      const known = before !== undefined || accounts.has(address);
      this.#undo.push(() => (known ? accounts.set(address, before) : accounts.delete(address)));
    }
    accounts.set(address, account);
    if (account === undefined) this.#clear(address);
  }

  putStorage(address: Address, slot: Hash, value: bigint): void {
    let slots = this.slots.get(address);
    if (slots === undefined) {
      slots = new Map();
      this.slots.set(address, slots);
    }
    if (this.#checkpoints.length > 0) {
      const written = slots;
      const before = written.get(slot);
      this.#undo.push(() => (before === undefined ? written.delete(slot) : written.set(slot, before)));
    }
    slots.set(slot, value);
  }

  clearStorage(address: Address): void {
    const account = this.account(address);
    if (account !== undefined && account.storageRoot !== EMPTY_ROOT) {
      this.putAccount(address, { ...account, storageRoot: EMPTY_ROOT });
    }
    this.#clear(address);
  }

  putCode(code: Uint8Array): Hash {
    const hash = keccakHex(code);
    // Kept when it is undone: code by its hash is true in any state.
    this.codes.set(hash, code);
    return hash;
  }

  checkpoint(): void {
    this.#checkpoints.push(this.#undo.length);
  }

  commit(): void {
    if (this.#checkpoints.pop() === undefined) throw new Error('commit without a checkpoint');
    if (this.#checkpoints.length === 0) this.#undo.length = 0;
  }

  revert(): void {
    const mark = this.#checkpoints.pop();
    if (mark === undefined) throw new Error('revert without a checkpoint');
    for (let index = this.#undo.length - 1; index >= mark; index--) this.#undo[index]?.();
    this.#undo.length = mark;
  }

  #clear(address: Address): void {
    const { slots, cleared } = this;
    const written = slots.get(address);
    const before = cleared.has(address);
    if (written === undefined && before) return;
    if (this.#checkpoints.length > 0) {
      this.#undo.push(() => {
        if (!before) cleared.delete(address);
        if (written === undefined) slots.delete(address);
        else slots.set(address, written);
      });
    }
    slots.delete(address);
    cleared.add(address);
  }
}
