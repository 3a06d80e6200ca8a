import { EMPTY_CODE_HASH, EMPTY_ROOT } from '@switchyard/evm-machine/account';
import type { AccountState, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { hexToBytes, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { object, type Read } from '@switchyard/service/input';
import type { Geth } from './geth.ts';
import { data, hash, quantity, readResponse } from './response.ts';

const proof = object({ nonce: quantity, balance: quantity, codeHash: hash, storageHash: hash });

/** The state after a block, as geth has it. */
export function toStateSource(geth: Geth, block: Hash, signal: AbortSignal) {
  const at = { blockHash: block };
  const ask = async <T>(method: string, params: readonly unknown[], read: Read<T>): Promise<T> =>
    readResponse(await geth.call(method, [...params, at], { signal }), method, read);
  return {
    async account(address: Address): Promise<AccountState | undefined> {
      const { nonce, balance, codeHash, storageHash } = await ask('eth_getProof', [address, []], proof);
      const account = {
        nonce,
        balance,
        codeHash: codeHash === ZERO_HASH ? EMPTY_CODE_HASH : codeHash,
        storageRoot: storageHash,
      };
      const isEmpty = account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH;
      return isEmpty ? undefined : account;
    },
    async code(address: Address): Promise<Uint8Array> {
      return hexToBytes(await ask('eth_getCode', [address], data));
    },
    async storage(address: Address, slot: Hash): Promise<bigint> {
      return BigInt(await ask('eth_getStorageAt', [address, slot], hash));
    },
  };
}

export type StateSource = ReturnType<typeof toStateSource>;

/** Fetched parts of a state elsewhere. A read of anything else throws, and succeeds within `reading`. */
export class RemoteState implements StateReader {
  readonly #source: StateSource;
  readonly #accounts = new Map<Address, AccountState | undefined>();
  readonly #slots = new Map<string, bigint>();
  readonly #codes = new Map<Hash, Uint8Array>();

  constructor(source: StateSource) {
    this.#source = source;
  }

  account(address: Address): AccountState | undefined {
    const account = this.#accounts.get(address);
    if (account === undefined && !this.#accounts.has(address)) throw new NotFetched(address);
    return account;
  }

  storage(address: Address, slot: Hash): bigint {
    const value = this.#slots.get(slotKey(address, slot));
    if (value === undefined) throw new NotFetched(address, slot);
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

  /** Runs work that can be repeated until it has all that it reads. */
  async reading<T>(work: () => T): Promise<T> {
    for (;;) {
      try {
        return work();
      } catch (error) {
        await this.#fetch(error);
      }
    }
  }

  /** @throws The error, if it comes from no read of this state. */
  async #fetch(error: unknown): Promise<void> {
    if (!(error instanceof NotFetched)) throw error;
    await this.prepare(error.address);
    if (error.slot !== undefined) await this.#prepareSlot(error.address, error.slot);
  }

  async #prepareSlot(address: Address, slot: Hash): Promise<void> {
    const key = slotKey(address, slot);
    if (this.#slots.has(key)) return;
    const isEmpty = (this.#accounts.get(address)?.storageRoot ?? EMPTY_ROOT) === EMPTY_ROOT;
    this.#slots.set(key, isEmpty ? 0n : await this.#source.storage(address, slot));
  }
}

/** A read of data not fetched yet. */
class NotFetched extends Error {
  override readonly name = 'NotFetched';

  constructor(
    readonly address: Address,
    readonly slot?: Hash,
  ) {
    super(`${slot === undefined ? 'account' : `slot ${slot} of`} ${address} was not fetched`);
  }
}

const NO_CODE = new Uint8Array();

function slotKey(address: Address, slot: Hash): string {
  return `${address}${slot}`;
}
