import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { OriginalStorageCache } from '@ethereumjs/statemanager';
import { Account, type Address as LibraryAddress } from '@ethereumjs/util';
import { bytesOf, hexOf, numberOf } from '../hex.ts';
import type { Address, Hash } from '../types.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, encodeNumber } from './account.ts';
import { StateOverlay } from './overlay.ts';
import type { AccountState, StateWriter } from './state.ts';

/**
 * A state as EthereumJS's interpreter reads and writes it. Values go through at once: nothing is cached here but the
 * values of slots at the start of a transaction, which refunds need.
 */
export class OverlayStateManager implements StateManagerInterface {
  readonly originalStorageCache: OriginalStorageCache;
  readonly #state: StateWriter;
  readonly #root: (() => Hash) | undefined;

  /** @param root Of the state as it is now; only receipts from before Byzantium and whole blocks of the library ask. */
  constructor(state: StateWriter, root?: () => Hash) {
    this.#state = state;
    this.#root = root;
    this.originalStorageCache = new OriginalStorageCache((address, key) => this.getStorage(address, key));
  }

  async getAccount(address: LibraryAddress): Promise<Account | undefined> {
    const account = this.#state.account(addressOf(address));
    return account && libraryAccount(account);
  }

  async putAccount(address: LibraryAddress, account?: Account): Promise<void> {
    this.#state.putAccount(addressOf(address), account && ourAccount(account));
  }

  async deleteAccount(address: LibraryAddress): Promise<void> {
    this.#state.putAccount(addressOf(address), undefined);
  }

  async modifyAccountFields(address: LibraryAddress, fields: AccountFields): Promise<void> {
    const key = addressOf(address);
    const { nonce, balance, codeHash, storageRoot } = this.#state.account(key) ?? NEW_ACCOUNT;
    this.#state.putAccount(key, {
      nonce: fields.nonce ?? nonce,
      balance: fields.balance ?? balance,
      codeHash: fields.codeHash == null ? codeHash : hashOf(fields.codeHash),
      storageRoot: fields.storageRoot == null ? storageRoot : hashOf(fields.storageRoot),
    });
  }

  async putCode(address: LibraryAddress, code: Uint8Array): Promise<void> {
    const key = addressOf(address);
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : this.#state.putCode(code);
    this.#state.putAccount(key, { ...(this.#state.account(key) ?? NEW_ACCOUNT), codeHash });
  }

  async getCode(address: LibraryAddress): Promise<Uint8Array> {
    const account = this.#state.account(addressOf(address));
    return account === undefined ? EMPTY : this.#state.code(account.codeHash);
  }

  async getCodeSize(address: LibraryAddress): Promise<number> {
    return (await this.getCode(address)).length;
  }

  /** Without leading zeros, as the library has it. */
  async getStorage(address: LibraryAddress, key: Uint8Array): Promise<Uint8Array> {
    return encodeNumber(this.#state.storage(addressOf(address), hexOf(key)));
  }

  async putStorage(address: LibraryAddress, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.#state.putStorage(addressOf(address), hexOf(key), numberOf(value));
  }

  async clearStorage(address: LibraryAddress): Promise<void> {
    this.#state.clearStorage(addressOf(address));
  }

  async checkpoint(): Promise<void> {
    this.#state.checkpoint();
  }

  async commit(): Promise<void> {
    this.#state.commit();
  }

  async revert(): Promise<void> {
    this.#state.revert();
    // A slot that was read first inside what is undone keeps its value from the start of the transaction.
  }

  async getStateRoot(): Promise<Uint8Array> {
    if (this.#root === undefined) throw new Error('this state has no root');
    return bytesOf(this.#root());
  }

  /** Only to the root that it has: a state is chosen when this is made. */
  async setStateRoot(root: Uint8Array): Promise<void> {
    if (!(await this.hasStateRoot(root))) throw new Error(`the state is not the one with root ${hexOf(root)}`);
  }

  async hasStateRoot(root: Uint8Array): Promise<boolean> {
    return this.#root !== undefined && this.#root() === hexOf(root);
  }

  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  /** Writes to the copy stay in the copy. */
  shallowCopy(): OverlayStateManager {
    return new OverlayStateManager(new StateOverlay(this.#state));
  }
}

const EMPTY = new Uint8Array();
const EMPTY_ROOT_BYTES = bytesOf(EMPTY_ROOT);
const EMPTY_CODE_HASH_BYTES = bytesOf(EMPTY_CODE_HASH);
const NEW_ACCOUNT: AccountState = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_ROOT };

function addressOf({ bytes }: LibraryAddress): Address {
  return hexOf(bytes);
}

function libraryAccount({ nonce, balance, storageRoot, codeHash }: AccountState): Account {
  // The library compares these by value and replaces them, and never writes into them.
  const root = storageRoot === EMPTY_ROOT ? EMPTY_ROOT_BYTES : bytesOf(storageRoot);
  return new Account(nonce, balance, root, codeHash === EMPTY_CODE_HASH ? EMPTY_CODE_HASH_BYTES : bytesOf(codeHash));
}

function ourAccount({ nonce, balance, storageRoot, codeHash }: Account): AccountState {
  return { nonce, balance, codeHash: hashOf(codeHash), storageRoot: hashOf(storageRoot) };
}

/** The usual hashes as the one string they are everywhere: compared in no time. */
function hashOf(bytes: Uint8Array): Hash {
  if (bytes === EMPTY_ROOT_BYTES) return EMPTY_ROOT;
  return bytes === EMPTY_CODE_HASH_BYTES ? EMPTY_CODE_HASH : hexOf(bytes);
}
