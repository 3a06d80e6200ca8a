import type { MachineOptions, Watch } from '@switchyard/evm-machine/interface';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { Outcome } from '@switchyard/evm-machine/values';
import type { ChainReader, StoredBlock } from '../chain/chain.ts';
import { beforeTransactions } from '../embedded/system-calls.ts';
import { serverError } from '../json/errors.ts';
import { type Checks, OF_A_TRANSACTION } from '../simulate/checks.ts';
import { makeEnvironment, type Rules } from '../simulate/environment.ts';
import type { EvmMessage } from '../simulate/evm-message.ts';
import { includedMessage } from '../simulate/included.ts';
import { applyMessage } from '../simulate/message.ts';
import type { Tracer } from './tracer.ts';

/** In a block of a chain for tests, a contract may have sent. */
const OF_A_BLOCK: Checks = { ...OF_A_TRANSACTION, sender: false };

export interface ReplayDeps {
  readonly chain: ChainReader;
  readonly rules: Rules;
}

export interface ReplayOptions<T> {
  readonly watch: Watch;
  /** Position of the last transaction that is run. */
  readonly last: number;
  /** Undefined if a transaction need not be followed. */
  readonly getTracer: (index: number, message: EvmMessage) => Tracer<T> | undefined;
}

/** One transaction that was run again, and followed. */
export interface Replayed<T = unknown> {
  readonly index: number;
  readonly message: EvmMessage;
  readonly outcome: Outcome;
  /** Result of the tracer. */
  readonly result: T;
}

/**
 * Runs a block's transactions again, from the state before it.
 *
 * @throws {JsonRpcError} for a block without a parent. If the state is not known, the error of `chain.state`.
 */
export function replay<T>(deps: ReplayDeps, block: StoredBlock, options: ReplayOptions<T>): readonly Replayed<T>[] {
  return replayOnState(deps, block, options).replayed;
}

/** Like `replay`, with the state after the transactions: before the withdrawals, and the rest of a block's end. */
export function replayOnState<T>(
  { chain, rules: getRules }: ReplayDeps,
  { header, transactions }: StoredBlock,
  { watch, last, getTracer }: ReplayOptions<T>,
): { readonly replayed: readonly Replayed<T>[]; readonly state: StateOverlay } {
  if (header.number === 0n) throw serverError('genesis is not traceable');
  const state = new StateOverlay(chain.state(header.number - 1n));
  const rules = getRules(header.number, header.timestamp);
  const machine: MachineOptions = {
    fork: rules.fork,
    chainId: rules.chainId,
    maxCodeBytes: rules.maxCodeBytes,
    state,
    block: makeEnvironment(header, rules),
    blockHash: (number) => chain.findHash(number),
    watch,
  };
  beforeTransactions(machine, header);
  const followed: Replayed<T>[] = [];
  for (const [index, transaction] of transactions.slice(0, last + 1).entries()) {
    const message = includedMessage(transaction, header.baseFeePerGas);
    const tracer = getTracer(index, message);
    const outcome = applyMessage(machine, message, OF_A_BLOCK, tracer);
    if (tracer !== undefined) followed.push({ index, message, outcome, result: tracer.result(outcome) });
    watch(0);
  }
  return { replayed: followed, state };
}
