import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { OriginalStorageCache } from '@ethereumjs/statemanager';
import { Account, type Address as LibraryAddress } from '@ethereumjs/util';
import { bytesToBigInt, bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';
import { EMPTY_CODE_HASH, EMPTY_ROOT, encodeNumber } from '../../state/account.ts';
import { StateOverlay } from '../../state/overlay.ts';
import type { AccountState } from '../../state/state.ts';
import type { Address } from '../../types.ts';

/** A state as EthereumJS's interpreter reads and writes it. For tests: each checkpoint copies all that was written. */
export class LibraryState implements StateManagerInterface {
  readonly originalStorageCache: OriginalStorageCache;
  readonly #state: StateOverlay;
  readonly #saved: StateOverlay[] = [];

  constructor(state: StateOverlay) {
    this.#state = state;
    this.originalStorageCache = new OriginalStorageCache((address, key) => this.getStorage(address, key));
  }

  async getAccount(address: LibraryAddress): Promise<Account | undefined> {
    const account = this.#state.account(getAddress(address));
    return account && libraryAccount(account);
  }

  async putAccount(address: LibraryAddress, account?: Account): Promise<void> {
    this.#state.putAccount(getAddress(address), account && ourAccount(account));
  }

  async deleteAccount(address: LibraryAddress): Promise<void> {
    this.#state.putAccount(getAddress(address), undefined);
  }

  async modifyAccountFields(address: LibraryAddress, fields: AccountFields): Promise<void> {
    const key = getAddress(address);
    const { nonce, balance, codeHash, storageRoot } = this.#state.account(key) ?? NEW_ACCOUNT;
    this.#state.putAccount(key, {
      nonce: fields.nonce ?? nonce,
      balance: fields.balance ?? balance,
      codeHash: fields.codeHash == null ? codeHash : bytesToHex(fields.codeHash),
      storageRoot: fields.storageRoot == null ? storageRoot : bytesToHex(fields.storageRoot),
    });
  }

  async putCode(address: LibraryAddress, code: Uint8Array): Promise<void> {
    const key = getAddress(address);
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : this.#state.putCode(code);
    this.#state.putAccount(key, { ...(this.#state.account(key) ?? NEW_ACCOUNT), codeHash });
  }

  async getCode(address: LibraryAddress): Promise<Uint8Array> {
    const account = this.#state.account(getAddress(address));
    return account === undefined ? EMPTY : this.#state.code(account.codeHash);
  }

  async getCodeSize(address: LibraryAddress): Promise<number> {
    return (await this.getCode(address)).length;
  }

  /** Without leading zeros, as the library has it. */
  async getStorage(address: LibraryAddress, key: Uint8Array): Promise<Uint8Array> {
    return encodeNumber(this.#state.storage(getAddress(address), bytesToHex(key)));
  }

  async putStorage(address: LibraryAddress, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.#state.putStorage(getAddress(address), bytesToHex(key), bytesToBigInt(value));
  }

  async clearStorage(address: LibraryAddress): Promise<void> {
    this.#state.clearStorage(getAddress(address));
  }

  async checkpoint(): Promise<void> {
    const saved = new StateOverlay(this.#state.base);
    copy(this.#state, saved);
    this.#saved.push(saved);
  }

  async commit(): Promise<void> {
    this.#saved.pop();
  }

  async revert(): Promise<void> {
    const saved = this.#saved.pop();
    if (saved === undefined) throw new Error('revert without a checkpoint');
    copy(saved, this.#state);
  }

  async getStateRoot(): Promise<Uint8Array> {
    throw new Error('this state has no root');
  }

  async setStateRoot(): Promise<void> {
    throw new Error('this state has no root');
  }

  async hasStateRoot(): Promise<boolean> {
    return false;
  }

  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  shallowCopy(): LibraryState {
    return new LibraryState(new StateOverlay(this.#state));
  }
}

function copy(from: StateOverlay, to: StateOverlay): void {
  to.accounts.clear();
  to.slots.clear();
  to.cleared.clear();
  for (const [address, account] of from.accounts) to.accounts.set(address, account);
  for (const [address, slots] of from.slots) to.slots.set(address, new Map(slots));
  for (const address of from.cleared) to.cleared.add(address);
}

const EMPTY = new Uint8Array();
const NEW_ACCOUNT: AccountState = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_ROOT };

function getAddress({ bytes }: LibraryAddress): Address {
  return bytesToHex(bytes);
}

function libraryAccount({ nonce, balance, storageRoot, codeHash }: AccountState): Account {
  return new Account(nonce, balance, hexToBytes(storageRoot), hexToBytes(codeHash));
}

function ourAccount({ nonce, balance, storageRoot, codeHash }: Account): AccountState {
  return { nonce, balance, codeHash: bytesToHex(codeHash), storageRoot: bytesToHex(storageRoot) };
}
