import type { Address, Hash, Log } from '../types.ts';

/** A transaction, or a call that is run as one. Amounts in wei. */
export interface EvmMessage {
  readonly from: Address;
  /** Undefined: creates a contract from `data`. */
  readonly to: Address | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  /** What each unit of gas costs the sender in this block. */
  readonly gasPrice: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];
  /** EIP-7702. */
  readonly authorizations: readonly Authorization[];
  /** EIP-4844; undefined for other types. */
  readonly blobs: { readonly hashes: readonly Hash[]; readonly maxFeePerGas: bigint } | undefined;
}

/** What became of a message that could be applied. */
export interface Outcome {
  readonly gasUsed: bigint;
  /** Before refunds. */
  readonly gasPeak: bigint;
  /** What was returned, also by REVERT; of a creation the code. */
  readonly output: Uint8Array;
  readonly logs: readonly Log[];
  /** Undefined when it succeeded. */
  readonly failure: Failure | undefined;
  /** Of a creation, also of one that failed. */
  readonly created: Address | undefined;
}

export interface Failure {
  readonly kind: 'revert' | 'out of gas' | 'other';
  /** In geth's words. */
  readonly text: string;
}

/** EIP-7702: an account's consent to run the code of `address`. */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly yParity: bigint;
  readonly r: Hash;
  readonly s: Hash;
}
