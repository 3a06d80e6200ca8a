import type { MachineOptions } from '@switchyard/evm-machine/interface';
import type { Hash } from '@switchyard/evm-machine/types';
import type { BlockValues } from '@switchyard/evm-machine/values';

/** A block of a rollup before its transactions are executed. */
export interface BlockEnvironment extends BlockValues, Pick<MachineOptions, 'fork' | 'maxCodeBytes' | 'blockHash'> {
  readonly baseFeePerGas: bigint;
  /** Hash of the sequencer block (EIP-4788). */
  readonly parentBeaconBlockRoot: Hash;
  readonly parentHash: Hash;
}

/** A machine on one block, for the calls of the protocol and for transactions. */
export interface CallContext extends Omit<MachineOptions, 'hooks'> {
  /** Plain transfers and well-known code are not interpreted, which gives the same block. */
  readonly direct?: boolean;
}

/** The machine on which a block of a rollup is executed. */
export function machineOn(
  block: BlockEnvironment,
  context: Pick<CallContext, 'chainId' | 'state' | 'direct' | 'recorder'>,
): CallContext {
  const { fork, maxCodeBytes, blockHash } = block;
  return { ...context, fork, maxCodeBytes, block, blockHash, isOfMany: true };
}
