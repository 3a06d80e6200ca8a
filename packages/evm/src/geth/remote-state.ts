import type { Account, Address as LibraryAddress } from '@ethereumjs/util';
import { hexOf } from '../hex.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../state/account.ts';
import { OverlayStateManager } from '../state/ethereumjs.ts';
import type { AccountState, StateReader, StateWriter } from '../state/state.ts';
import type { Address, Hash } from '../types.ts';

/** State of another process, asked for piece by piece. */
export interface StateSource {
  account(address: Address): Promise<AccountState | undefined>;
  code(address: Address): Promise<Uint8Array>;
  storage(address: Address, slot: Hash): Promise<bigint>;
}

/**
 * What was fetched of a state elsewhere. Reads are of what is here: whoever needs more prepares it before. An account
 * that was not prepared reads as absent; only collecting internal calls looks at such.
 */
export class RemoteState implements StateReader {
  readonly #source: StateSource;
  readonly #accounts = new Map<Address, AccountState | undefined>();
  readonly #slots = new Map<string, bigint>();
  readonly #codes = new Map<Hash, Uint8Array>();

  constructor(source: StateSource) {
    this.#source = source;
  }

  account(address: Address): AccountState | undefined {
    return this.#accounts.get(address);
  }

  storage(address: Address, slot: Hash): bigint {
    const value = this.#slots.get(slotKey(address, slot));
    if (value === undefined) throw new Error(`slot ${slot} of ${address} was not fetched`);
    return value;
  }

  code(codeHash: Hash): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return NO_CODE;
    const code = this.#codes.get(codeHash);
    if (code === undefined) throw new Error(`code ${codeHash} was not fetched`);
    return code;
  }

  async prepare(address: Address): Promise<void> {
    if (this.#accounts.has(address)) return;
    const account = await this.#source.account(address);
    const codeHash = account?.codeHash ?? EMPTY_CODE_HASH;
    if (codeHash !== EMPTY_CODE_HASH && !this.#codes.has(codeHash))
      this.#codes.set(codeHash, await this.#source.code(address));
    this.#accounts.set(address, account);
  }

  async prepareSlot(address: Address, slot: Hash): Promise<void> {
    await this.prepare(address);
    const key = slotKey(address, slot);
    if (this.#slots.has(key)) return;
    const isEmpty = (this.#accounts.get(address)?.storageRoot ?? EMPTY_ROOT) === EMPTY_ROOT;
    this.#slots.set(key, isEmpty ? 0n : await this.#source.storage(address, slot));
  }
}

/** As EthereumJS's interpreter reads a state that lies on top of a remote one: fetched when it is first asked for. */
export class RemoteStateManager extends OverlayStateManager {
  readonly #remote: RemoteState;

  constructor(state: StateWriter, remote: RemoteState) {
    super(state);
    this.#remote = remote;
  }

  override async getAccount(address: LibraryAddress): Promise<Account | undefined> {
    await this.#prepare(address);
    return super.getAccount(address);
  }

  override async getCode(address: LibraryAddress): Promise<Uint8Array> {
    await this.#prepare(address);
    return super.getCode(address);
  }

  override async putCode(address: LibraryAddress, code: Uint8Array): Promise<void> {
    await this.#prepare(address);
    return super.putCode(address, code);
  }

  override async clearStorage(address: LibraryAddress): Promise<void> {
    await this.#prepare(address);
    return super.clearStorage(address);
  }

  override async modifyAccountFields(
    ...[address, fields]: Parameters<OverlayStateManager['modifyAccountFields']>
  ): Promise<void> {
    await this.#prepare(address);
    return super.modifyAccountFields(address, fields);
  }

  override async getStorage(address: LibraryAddress, key: Uint8Array): Promise<Uint8Array> {
    await this.#remote.prepareSlot(hexOf(address.bytes), hexOf(key));
    return super.getStorage(address, key);
  }

  #prepare(address: LibraryAddress): Promise<void> {
    return this.#remote.prepare(hexOf(address.bytes));
  }
}

const NO_CODE = new Uint8Array();

function slotKey(address: Address, slot: Hash): string {
  return `${address}${slot}`;
}
