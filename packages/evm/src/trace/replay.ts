import type { Common } from '@ethereumjs/common';
import { createAddressFromString } from '@ethereumjs/util';
import type { ChainReader, StoredBlock } from '../chain/chain.ts';
import { bytesOf } from '../hex.ts';
import { serverError } from '../rpc/errors.ts';
import type { Breath } from '../simulate/breath.ts';
import { OF_A_TRANSACTION } from '../simulate/checks.ts';
import { type Environment, environmentOf, type Rules } from '../simulate/environment.ts';
import { includedMessage } from '../simulate/included.ts';
import { hasCode, Machine } from '../simulate/machine.ts';
import { applyMessage, type EvmMessage, type Outcome } from '../simulate/message.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { StateWriter } from '../state/state.ts';
import type { Address, Header } from '../types.ts';
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
 * @param tracerOf Undefined where a transaction need not be followed.
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
  plain.use(state, breath);
  await systemCalls(plain, header, environment);
  for (const [index, transaction] of transactions.slice(0, last + 1).entries()) {
    const message = includedMessage(transaction, header.baseFeePerGas);
    const tracer = tracerOf(index, message, { rules, environment, state });
    const machine = tracer === undefined ? plain : await Machine.create({ rules, blockHash, tracer });
    machine.use(state, breath);
    const outcome = await applyMessage(machine, message, environment, OF_A_TRANSACTION);
    if (tracer !== undefined) done({ index, message, outcome, result: tracer.result(outcome) });
    await breath.take();
  }
}

const SYSTEM: Address = '0xfffffffffffffffffffffffffffffffffffffffe';
const SYSTEM_GAS = 30_000_000n;
const BEACON_ROOTS: Address = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';
const BLOCK_HASHES: Address = '0x0000f90827f1c53a10cb7a02335b175320002935';

/** What a block does before its first transaction: EIP-4788 and EIP-2935. */
export async function systemCalls(
  machine: Machine,
  { parentBeaconBlockRoot, parentHash }: Pick<Header, 'parentBeaconBlockRoot' | 'parentHash'>,
  environment: Environment,
): Promise<void> {
  const { rules } = machine;
  const call = async (to: Address, data: `0x${string}`): Promise<void> => {
    if (!hasCode(machine.state, to)) return;
    await machine.evm.runCall({
      block: machine.block(environment),
      caller: createAddressFromString(SYSTEM),
      to: createAddressFromString(to),
      data: bytesOf(data),
      gasLimit: SYSTEM_GAS,
      skipNonceIncrement: true,
    });
    await machine.end(new Set());
  };
  if (parentBeaconBlockRoot !== undefined && rules.isActivatedEIP(4788))
    await call(BEACON_ROOTS, parentBeaconBlockRoot);
  if (rules.isActivatedEIP(2935)) await call(BLOCK_HASHES, parentHash);
}
