import type { AccessRecorder } from '@switchyard/evm-machine/access-lists/recorder';
import type { Fork } from '@switchyard/evm-machine/fork';
import type { MachineOptions } from '@switchyard/evm-machine/interface';
import type { StateWriter } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { ZERO_HASH } from '@switchyard/protocol/ethereum';

/** Properties of a block that its transactions can read. */
export interface BlockEnvironment {
  /** Fork whose rules the block has. */
  readonly fork: Fork;
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  /** Wei for each unit of gas. */
  readonly baseFee: bigint;
  readonly gasLimit: bigint;
  readonly coinbase: Address;
  /** Value of PREVRANDAO; 0, if absent. */
  readonly prevRandao?: Hash;
  /** See `MachineOptions`. */
  readonly maxCodeBytes?: number | undefined;
  /** Hash of the sequencer block (EIP-4788). */
  readonly parentBeaconBlockRoot: Hash;
  readonly parentHash: Hash;
  /** Hash of a block before this one, at most 256 back. */
  blockHash(number: bigint): Hash | undefined;
  /** EIP-7843. */
  readonly slotNumber?: bigint | undefined;
}

/** The least price of a unit of blob gas, and the price here: there are no blobs. */
const BLOB_BASE_FEE = 1n;

/** Context in which the transactions of one block are applied, and the calls of the protocol. */
export interface BlockContext {
  readonly chainId: bigint;
  readonly state: StateWriter;
  readonly block: BlockEnvironment;
  /** False: everything is interpreted, which gives the same block. */
  readonly direct: boolean;
  /** See `MachineOptions`. */
  readonly recorder?: AccessRecorder | undefined;
}

/** Context of the protocol's own calls, in blocks of every kind. */
export interface CallContext extends Omit<MachineOptions, 'hooks'> {
  /** Well-known code is not interpreted, which gives the same block. */
  readonly direct?: boolean;
}

export function callContextOf(context: BlockContext): CallContext {
  return { ...machineOn(context), direct: context.direct };
}

/** Options for blocks that are being executed: all transactions of a block have the same. */
const machines = new WeakMap<BlockEnvironment, MachineOptions>();

/** Options for the interpreter: blocks here have no difficulty, and those of a sequencer no randomness. */
export function machineOn({
  chainId,
  state,
  block,
  recorder,
}: Pick<BlockContext, 'chainId' | 'state' | 'block' | 'recorder'>): MachineOptions {
  const known = machines.get(block);
  if (known?.state === state && known.chainId === chainId && known.recorder === recorder) return known;
  const { fork, number, timestamp, baseFee, gasLimit, coinbase, slotNumber } = block;
  const { maxCodeBytes, prevRandao = ZERO_HASH } = block;
  const values = { number, timestamp, gasLimit, coinbase, difficulty: 0n, prevRandao, slotNumber };
  const machine: MachineOptions = {
    ...{ fork, chainId, state, maxCodeBytes, recorder },
    block: { ...values, baseFeePerGas: baseFee, blobBaseFee: BLOB_BASE_FEE },
    blockHash: (ancestor) => block.blockHash(ancestor),
    isOfMany: true,
  };
  machines.set(block, machine);
  return machine;
}
