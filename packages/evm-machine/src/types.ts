/** Values as the EVM part of Switchyard names them. All text is lower-case hex with `0x`, so that equal things are equal strings. */

/** 20 bytes. */
export type Address = `0x${string}`;
/** 32 bytes. */
export type Hash = `0x${string}`;
/** Any number of bytes. */
export type Data = `0x${string}`;

/** One event of a contract, as a receipt holds it. */
export interface Log {
  readonly address: Address;
  /** At most four. */
  readonly topics: readonly Hash[];
  readonly data: Uint8Array;
}

/** EIP-4895. `amount` counts gwei. */
export interface Withdrawal {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: Address;
  readonly amount: bigint;
}

/** Every field of a header up to Cancun; those of later or earlier forks are undefined if a block does not have them. */
export interface Header {
  readonly parentHash: Hash;
  readonly uncleHash: Hash;
  readonly coinbase: Address;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  readonly logsBloom: Data;
  readonly difficulty: bigint;
  readonly number: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly extraData: Data;
  readonly mixHash: Hash;
  /** 8 bytes. */
  readonly nonce: Data;
  readonly baseFeePerGas: bigint | undefined;
  readonly withdrawalsRoot: Hash | undefined;
  readonly blobGasUsed: bigint | undefined;
  readonly excessBlobGas: bigint | undefined;
  readonly parentBeaconBlockRoot: Hash | undefined;
  readonly requestsHash: Hash | undefined;
  /** EIP-7928, from Amsterdam on. */
  readonly blockAccessListHash: Hash | undefined;
  /** EIP-7843, from Amsterdam on. */
  readonly slotNumber: bigint | undefined;
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
