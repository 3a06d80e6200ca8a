import type { AccessRecorder } from '../access-lists/recorder.ts';
import type { Fork } from '../fork.ts';
import type { Precompile } from '../precompiles/contract.ts';
import type { StateReader, StateWriter } from '../state/state.ts';
import type { Address, Hash } from '../types.ts';
import type { Hooks } from './hooks.ts';
import type { BlockValues, Message, Outcome } from './values.ts';

/** Environment that a machine executes in: one block, whose transactions come one after another. */
export interface MachineOptions {
  readonly fork: Fork;
  readonly chainId: bigint;
  /**
   * Changed when a transaction ends. A read may throw: the machine is then in the state before the instruction, which runs
   * again when the execution is resumed, so that state can be fetched.
   */
  readonly state: StateWriter;
  readonly block: BlockValues;
  /** Hash of a block before this one, at most 256 back. */
  readonly blockHash: (number: bigint) => Hash | undefined;
  /** Whether others follow on the same block, which then share results. A single one would have to be forgotten again. */
  readonly isOfMany?: boolean;
  readonly hooks?: Hooks | undefined;
  readonly watch?: Watch | undefined;
  /** EIP-7928: gets all that transactions and calls access. */
  readonly recorder?: AccessRecorder | undefined;
  /** Other than those of the fork. */
  readonly precompiles?: ReadonlyMap<Address, Precompile>;
  /** Length that code may have, other than that of the fork; for chains of tests. */
  readonly maxCodeBytes?: number | undefined;
}

/**
 * Called after every few ten thousand units of gas, and before a precompiled contract with the gas that it takes. An error
 * that it throws ends the execution.
 */
export type Watch = (gasAhead: number) => void;

/** A message on its way. */
export interface Execution {
  /** Live: the changes of the execution so far. */
  readonly state: StateReader;
  /** Runs to its end. After a read of the state has thrown, it can be called again and continues with that read. */
  run(): Outcome;
}

/**
 * Begins a message that was found applicable: intrinsic gas covered, balance sufficient for gas and value. It is paid for
 * and its changes are written to the state when it ends. One at a time on a state.
 */
export type Execute = (options: MachineOptions, message: Message) => Execution;

/** A call by the protocol itself (EIP-4788, EIP-2935, EIP-7002, EIP-7251): no nonce, no fee, its gas is not the block's. */
export type ExecuteSystemCall = (
  options: MachineOptions,
  call: { readonly to: Address; readonly data: Uint8Array },
) => Execution;
