import type { Common } from '@ethereumjs/common';
import type { ChainReader, StoredBlock } from '../chain/chain.ts';
import { serverError } from '../rpc/errors.ts';
import type { Breath } from '../simulate/breath.ts';
import { OF_A_TRANSACTION } from '../simulate/checks.ts';
import { type Environment, environmentOf, type Rules } from '../simulate/environment.ts';
import { includedMessage } from '../simulate/included.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage, type EvmMessage, type Outcome } from '../simulate/message.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { StateWriter } from '../state/state.ts';
import { Relay } from './relay.ts';
import { systemCalls } from './system-calls.ts';
import type { Tracer } from './tracer.ts';

export interface ReplayDeps {
  readonly chain: ChainReader;
  readonly rules: Rules;
}

/** What a block's transactions run on. */
export interface Replay {
  readonly rules: Common;
  readonly environment: Environment;
  /** What the transactions so far have left. */
  readonly state: StateWriter;
}

/** One transaction that was run again. */
export interface Replayed {
  readonly index: number;
  readonly message: EvmMessage;
  readonly outcome: Outcome;
  /** Of the tracer; undefined where there was none. */
  readonly result: unknown;
}

/**
 * Runs a block's transactions again, from the state before it, up to and with the one at `last`.
 *
 * @param tracerOf Undefined where a transaction need not be followed. All tracers are of one kind.
 * @param done Called for each that was followed.
 * @throws {JsonRpcError} for a block without a parent. Where it is not known, what `chain.state` throws.
 */
export async function replay(
  { chain, rules: rulesOf }: ReplayDeps,
  { header, transactions }: StoredBlock,
  breath: Breath,
  last: number,
  tracerOf: (index: number, message: EvmMessage, replay: Replay) => Tracer | undefined,
  done: (replayed: Replayed) => void,
): Promise<void> {
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
  plain.use(state, breath);
  await systemCalls(plain, header, environment);
  for (const [index, transaction] of transactions.slice(0, last + 1).entries()) {
    const message = includedMessage(transaction, header.baseFeePerGas);
    const tracer = tracerOf(index, message, { rules, environment, state });
    const machine = tracer === undefined ? plain : await follow(tracer);
    machine.use(state, breath);
    const outcome = await applyMessage(machine, message, environment, OF_A_TRANSACTION);
    if (tracer !== undefined) done({ index, message, outcome, result: tracer.result(outcome) });
    await breath.take();
  }
}
