import type { ChainReader, StoredBlock } from '../chain/chain.ts';
import { serverError } from '../rpc/errors.ts';
import { OF_A_TRANSACTION } from '../simulate/checks.ts';
import { environmentOf, type Rules } from '../simulate/environment.ts';
import type { EvmMessage, Outcome } from '../simulate/evm-message.ts';
import { includedMessage } from '../simulate/included.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import type { TimeBudget } from '../simulate/time-budget.ts';
import { StateOverlay } from '../state/overlay.ts';
import { Relay } from './relay.ts';
import { systemCalls } from './system-calls.ts';
import type { Tracer } from './tracer.ts';

export interface ReplayDeps {
  readonly chain: ChainReader;
  /** With the numbers of the interpreter. */
  readonly rules: Rules;
}

export interface ReplayOptions<T> {
  readonly budget: TimeBudget;
  /** Position of the last transaction that is run. */
  readonly last: number;
  /** Undefined where a transaction need not be followed. All tracers of a replay are of one kind. */
  readonly tracerOf: (index: number, message: EvmMessage) => Tracer<T> | undefined;
}

/** One transaction that was run again, and followed. */
export interface Replayed<T = unknown> {
  readonly index: number;
  readonly message: EvmMessage;
  readonly outcome: Outcome;
  /** Of the tracer. */
  readonly result: T;
}

/**
 * Runs a block's transactions again, from the state before it.
 *
 * @throws {JsonRpcError} for a block without a parent. Where the state is not known, what `chain.state` throws.
 */
export async function replay<T>(
  { chain, rules: rulesOf }: ReplayDeps,
  { header, transactions }: StoredBlock,
  { budget, last, tracerOf }: ReplayOptions<T>,
): Promise<readonly Replayed<T>[]> {
  if (header.number === 0n) throw serverError('genesis is not traceable');
  const rules = rulesOf(header.number, header.timestamp);
  const environment = environmentOf(header, rules);
  const state = new StateOverlay(chain.state(header.number - 1n));
  const blockHash = (number: bigint) => chain.hashOf(number);
  const plain = await Machine.create({ rules, blockHash });
  let following: { readonly relay: Relay; readonly machine: Machine } | undefined;
  const follow = async (tracer: Tracer): Promise<Machine> => {
    if (following === undefined) {
      const relay = new Relay(tracer);
      following = { relay, machine: await Machine.create({ rules, blockHash, tracer: relay }) };
    }
    following.relay.current = tracer;
    return following.machine;
  };
  plain.use(state, budget);
  await systemCalls(plain, header, environment);
  const followed: Replayed<T>[] = [];
  for (const [index, transaction] of transactions.slice(0, last + 1).entries()) {
    const message = includedMessage(transaction, header.baseFeePerGas);
    const tracer = tracerOf(index, message);
    const machine = tracer === undefined ? plain : await follow(tracer);
    machine.use(state, budget);
    const outcome = await applyMessage(machine, message, environment, OF_A_TRANSACTION);
    if (tracer !== undefined) followed.push({ index, message, outcome, result: tracer.result(outcome) });
    await budget.take();
  }
  return followed;
}
