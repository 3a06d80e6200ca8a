import type { AccountProof } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { Executor } from '@switchyard/rollup/execution';
import type { Retention } from '@switchyard/service';
import type { Moved } from '../chain/chain.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';

/* Messages between the thread that executes blocks and the thread that answers everything else. */

export interface ExecutionThreadData {
  /** Directory of the node's database, which the node has open. */
  readonly directory: string;
  readonly genesis: EvmGenesis;
  readonly safe: 'soft' | 'firm';
  readonly retention: Retention;
  readonly residentBytes: number | undefined;
  /** One word by which both threads close the database at once. See `Remapping`. */
  readonly remapping: SharedArrayBuffer;
}

/** Calls that the thread answers, by name. */
export interface ExecutionCalls extends Executor {
  proof(block: bigint, address: Address, slots: readonly Hash[]): Promise<AccountProof>;
}

const CALLS = ['state', 'block', 'inputDigest', 'execute', 'executeBatch', 'commit', 'proof'] as const;

/** The calls, each of which is made by its name. */
export function callsBy(call: (name: keyof ExecutionCalls, parameters: unknown[]) => unknown): ExecutionCalls {
  const calls = CALLS.map((name) => [name, (...parameters: unknown[]) => call(name, parameters)]);
  // Each answers with the result of the method of that name.
  return Object.fromEntries(calls) as ExecutionCalls;
}

export type ToExecution =
  | { readonly kind: 'call'; readonly id: number; readonly name: keyof ExecutionCalls; readonly parameters: unknown[] }
  /** Senders that were recovered in the other thread. */
  | { readonly kind: 'senders'; readonly found: readonly (readonly [Hash, Address])[] }
  /** See `packing.ts`. */
  | { readonly kind: 'recovered'; readonly id: number; readonly senders: Uint8Array }
  | { readonly kind: 'close' };

/** The form of an error sent to another thread. */
export interface WrittenError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** See `findExitCode`. */
  readonly exitCode: number | undefined;
}

export type FromExecution =
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: WrittenError }
  /** Comes before the answer to the call that has moved it. */
  | { readonly kind: 'moved'; readonly moved: Moved }
  | { readonly kind: 'recover'; readonly id: number; readonly signatures: Uint8Array }
  | { readonly kind: 'damaged'; readonly error: WrittenError }
  | { readonly kind: 'remap' }
  | { readonly kind: 'closed' };

export function writtenError(error: unknown, exitCode: number | undefined): WrittenError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined, exitCode };
  return { name: error.name, message: error.message, stack: error.stack, exitCode };
}

export function toError({ name, message, stack, exitCode }: WrittenError): Error {
  const error = Object.assign(new Error(message), { name, ...(exitCode !== undefined && { exitCode }) });
  if (stack !== undefined) error.stack = stack;
  return error;
}
