import { ZERO_HASH } from '../hex.ts';
import type { Fork } from '../interpreter/fork.ts';
import type { MachineOptions } from '../interpreter/interface.ts';
import type { Turns } from '../interpreter/turns.ts';
import type { StateWriter } from '../state/state.ts';
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

/** The least price of a unit of blob gas, and the price here: there are no blobs. */
const BLOB_BASE_FEE = 1n;

/** What the transactions of one block are applied to, and the calls of the protocol. */
export interface BlockContext extends Turns {
  readonly chainId: bigint;
  readonly state: StateWriter;
  readonly block: BlockEnvironment;
  /** False: everything is interpreted, which gives the same block. */
  readonly direct: boolean;
}

/** Of blocks that are being executed: all their transactions have the same. */
const machines = new WeakMap<BlockEnvironment, MachineOptions>();

/** What the interpreter runs on: blocks here have neither difficulty nor randomness. */
export function machineOn({
  chainId,
  state,
  block,
}: Pick<BlockContext, 'chainId' | 'state' | 'block'>): MachineOptions {
  const known = machines.get(block);
  if (known?.state === state && known.chainId === chainId) return known;
  const { fork, number, timestamp, baseFee, gasLimit, coinbase } = block;
  const values = { number, timestamp, gasLimit, coinbase, difficulty: 0n, prevRandao: ZERO_HASH };
  const machine: MachineOptions = {
    fork,
    chainId,
    state,
    block: { ...values, baseFeePerGas: baseFee, blobBaseFee: BLOB_BASE_FEE },
    blockHash: (ancestor) => block.blockHash(ancestor),
  };
  machines.set(block, machine);
  return machine;
}
