import type { Address, Authorization, Hash, Log } from '../types.ts';

/** Sender of the protocol's own calls (EIP-4788 and those after it), and of its logs (EIP-7708). */
export const SYSTEM_ADDRESS: Address = '0xfffffffffffffffffffffffffffffffffffffffe';

/** Properties of a block that its code can read. */
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
  /** EIP-7843; 0, if absent. */
  readonly slotNumber?: bigint | undefined;
}

/** A transaction, or a call that is run as one. Amounts in wei. */
export interface Message {
  readonly from: Address;
  /** Undefined: creates a contract from `data`. */
  readonly to: Address | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  /** Price that the sender pays for each unit of gas in this block. */
  readonly gasPrice: bigint;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];
  /** EIP-7702; undefined for other types. */
  readonly authorizations?: readonly Authorization[] | undefined;
  /** EIP-4844; undefined for other types. */
  readonly blobHashes?: readonly Hash[] | undefined;
  /** Whether code may spend all of the gas, more than EIP-7825 leaves it; for calls that no block has. */
  readonly isUnbounded?: boolean;
}

export interface Failure {
  readonly kind: 'revert' | 'out of gas' | 'other';
  /** In geth's words. */
  readonly text: string;
}

/** Result of a message that could be applied. */
export interface Outcome {
  /** Gas that the sender pays for. */
  readonly gasUsed: bigint;
  /** Before refunds. */
  readonly gasPeak: bigint;
  /** Gas that a block has less for others, of both kinds (EIP-8037). Before Amsterdam there is one, the gas that is paid for. */
  readonly blockGas: { readonly execution: bigint; readonly state: bigint };
  /** Returned bytes, also of REVERT; for a creation, the code. */
  readonly output: Uint8Array;
  readonly logs: readonly Log[];
  /** Undefined when it succeeded. */
  readonly failure: Failure | undefined;
  /** Address of a creation's contract, also of a failed one. */
  readonly created: Address | undefined;
}
