import type { Address, Hash } from '../types.ts';

/** An account that exists. */
export interface AccountState {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Keccak-256 of the code; `EMPTY_CODE_HASH` for none. */
  readonly codeHash: Hash;
  /** Root of its storage when the last block was sealed; not moved by writes of a block in progress. */
  readonly storageRoot: Hash;
}

/** State as execution and queries read it. Synchronous: nothing interleaves. */
export interface StateReader {
  account(address: Address): AccountState | undefined;
  /** 0 if nothing was written. */
  storage(address: Address, slot: Hash): bigint;
  /** Empty for `EMPTY_CODE_HASH`. */
  code(codeHash: Hash): Uint8Array;
}

/** State that a block in progress writes to. */
export interface StateWriter extends StateReader {
  /** Undefined removes it, and its storage. */
  putAccount(address: Address, account: AccountState | undefined): void;
  putStorage(address: Address, slot: Hash, value: bigint): void;
  clearStorage(address: Address): void;
  /** @returns its hash. */
  putCode(code: Uint8Array): Hash;
}

/** Answer of `eth_getProof`, in bytes: nodes from the root down. */
export interface AccountProof {
  readonly account: AccountState | undefined;
  readonly nodes: readonly Uint8Array[];
  readonly storage: readonly { readonly slot: Hash; readonly value: bigint; readonly nodes: readonly Uint8Array[] }[];
}
