import type { Address, Hash, Log } from '../types.ts';

/** What code can learn of the block that it runs in. */
export interface BlockValues {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly coinbase: Address;
  /** Before Paris. */
  readonly difficulty: bigint;
  /** From Paris on. */
  readonly prevRandao: Hash;
  /** Wei for each unit of gas; undefined before London. */
  readonly baseFeePerGas: bigint | undefined;
  /** Wei for each unit of blob gas; undefined before Cancun. */
  readonly blobBaseFee: bigint | undefined;
}

/** A transaction, or a call that is run as one. Amounts in wei. */
export interface Message {
  readonly from: Address;
  /** Undefined: creates a contract from `data`. */
  readonly to: Address | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  /** What each unit of gas costs the sender in this block. */
  readonly gasPrice: bigint;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];
  /** EIP-7702; undefined for other types. */
  readonly authorizations?: readonly Authorization[] | undefined;
  /** EIP-4844; undefined for other types. */
  readonly blobHashes?: readonly Hash[] | undefined;
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

export interface Failure {
  readonly kind: 'revert' | 'out of gas' | 'other';
  /** In geth's words. */
  readonly text: string;
}

/** What became of a message that could be applied. */
export interface Outcome {
  /** What the sender pays for. */
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
