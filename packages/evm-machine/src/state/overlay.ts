import { keccakHex } from '@switchyard/protocol/ethereum';
import type { Address, Hash } from '../types.ts';
import { EMPTY_ROOT } from './account.ts';
import type { AccountState, StateReader, StateWriter } from './state.ts';

/** Writes on top of an unchanged state: the changes of a block, or of a call that leaves nothing behind. */
export class StateOverlay implements StateWriter {
  readonly base: StateReader;
  /** Undefined: removed. */
  readonly accounts = new Map<Address, AccountState | undefined>();
  readonly slots = new Map<Address, Map<Hash, bigint>>();
  /** Accounts of whose storage nothing of the base is left. */
  readonly cleared = new Set<Address>();
  readonly codes = new Map<Hash, Uint8Array>();

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
    this.accounts.set(address, account);
    if (account === undefined) this.#clear(address);
  }

  putStorage(address: Address, slot: Hash, value: bigint): void {
    let slots = this.slots.get(address);
    if (slots === undefined) {
      slots = new Map();
      this.slots.set(address, slots);
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
    this.codes.set(hash, code);
    return hash;
  }

  #clear(address: Address): void {
    this.slots.delete(address);
    this.cleared.add(address);
  }
}
