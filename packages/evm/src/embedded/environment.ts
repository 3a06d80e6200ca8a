import type { Fork } from '../interpreter/fork.ts';
import type { Address, Hash } from '../types.ts';

/** What transactions of a block can learn of it. */
export interface BlockEnvironment {
  /** Whose rules it has. */
  readonly fork: Fork;
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  /** Wei for each unit of gas. */
  readonly baseFee: bigint;
  readonly gasLimit: bigint;
  readonly coinbase: Address;
  /** Hash of the sequencer block (EIP-4788). */
  readonly parentBeaconBlockRoot: Hash;
  readonly parentHash: Hash;
  /** Of a block before this one, at most 256 back. */
  blockHash(number: bigint): Hash | undefined;
}
