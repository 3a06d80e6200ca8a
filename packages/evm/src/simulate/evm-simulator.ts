import type { MachineOptions, Watch } from '@switchyard/evm-machine/interface';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { BlockValues, Outcome } from '@switchyard/evm-machine/values';
import { bytesToHex, ZERO_HASH } from '@switchyard/protocol/ethereum';
import type { JsonRpcError } from '@switchyard/service';
import type { ChainReader } from '../chain/chain.ts';
import { headerNotFound, serverError } from '../json/errors.ts';
import { readyMachine } from '../rules/ready.ts';
import { nextBaseFee, nextTimestamp } from '../rules/rules.ts';
import { Budget, TraceTooLong } from '../trace/budget.ts';
import type { Tracer } from '../trace/tracer.ts';
import { Inapplicable, OF_A_CALL } from './checks.ts';
import { type BlockRules, makeEnvironment, type NextBlock, type Rules } from './environment.ts';
import { searchGas } from './estimate.ts';
import type { EvmMessage } from './evm-message.ts';
import { applyMessage } from './message.ts';
import { overrideEnvironment, overridePrecompiles, overrideState } from './overrides.ts';
import { environmentOfCall, messageOfRequest } from './request.ts';
import type {
  CallBlock,
  CallOutcome,
  CallRequest,
  CallTerms,
  Overrides,
  Simulator,
  StateOverrides,
} from './simulator.ts';
import { TimedOut, timeBudget } from './time-budget.ts';

export interface SimulatorConfig {
  /** Most gas that a call gets. */
  readonly gasCap: bigint;
  readonly timeoutMs: number;
  /** See `BudgetOptions`. */
  readonly hereMs?: number | undefined;
}

export interface SimulatorDeps {
  readonly chain: ChainReader;
  readonly rules: Rules;
  /** Root of the state after a block with changes on top; `eth_simulateV1` shows zeros without it. */
  readonly stateRoot?: (block: bigint, changes: StateOverlay) => Hash;
  /** See `StateRows.slotsEver`; for `debug_storageRangeAt`. */
  readonly slotsEver: (address: Address) => Iterable<readonly Hash[]>;
  /** Seconds, for the block that would be next. */
  readonly now?: () => bigint;
  readonly next?: () => NextBlock;
}

/** State, block and rules that a call runs on. */
export interface CallBase {
  readonly state: StateReader;
  readonly environment: BlockValues;
  readonly rules: BlockRules;
}

export class EvmSimulator implements Simulator {
  readonly config: SimulatorConfig;
  readonly deps: SimulatorDeps;
  readonly rules: Rules;

  constructor(config: SimulatorConfig, deps: SimulatorDeps) {
    this.config = config;
    this.deps = deps;
    this.rules = deps.rules;
  }

  async call(request: CallRequest, block: CallBlock, overrides: Overrides = {}): Promise<CallOutcome> {
    return this.bounded((watch) => {
      const base = this.makeBase(block, overrides);
      const message = this.makeMessage(request, base);
      return callOutcome(orRefused(message.gasLimit, () => this.#run(message, base, overrides.state, watch)));
    });
  }

  async estimateGas(request: CallRequest, block: CallBlock, overrides: Overrides = {}): Promise<bigint> {
    return this.bounded((watch) => {
      const base = this.makeBase(block, overrides);
      const scratch = new StateOverlay(base.state);
      overrideState(scratch, overrides.state);
      const message = messageOfRequest({ ...request, gas: request.gas ?? 0n }, { ...base, gasLimit: 0n });
      return searchGas(message, {
        state: scratch,
        fork: base.rules.fork,
        blockGasLimit: base.environment.gasLimit,
        gasCap: this.config.gasCap,
        run: (gasLimit) => this.#run({ ...message, gasLimit }, base, overrides.state, watch),
      });
    });
  }

  /** Runs a call under a tracer. */
  async traced<T>(
    request: CallRequest,
    block: CallBlock,
    overrides: Overrides,
    getTracer: (message: EvmMessage, base: CallBase) => Tracer<T>,
    terms: CallTerms = {},
  ): Promise<{ readonly outcome: Outcome; readonly result: T }> {
    return this.bounded((watch) => {
      const base = this.makeBase(block, overrides);
      const message = this.makeMessage(request, base);
      const tracer = getTracer(message, base);
      const run = () => this.#run(message, base, overrides.state, watch, tracer);
      const outcome = orRefused(message.gasLimit, run);
      return { outcome, result: tracer.result(outcome) };
    }, terms);
  }

  /** Runs calls one after the other under tracers, each on the changes of the earlier ones. */
  async tracedInOrder<T>(
    requests: readonly CallRequest[],
    block: CallBlock,
    getTracer: (index: number) => Tracer<T>,
  ): Promise<readonly { readonly outcome: Outcome; readonly result: T }[]> {
    return this.bounded((watch) => {
      const base = this.makeBase(block, {});
      const state = new StateOverlay(base.state);
      const all: { readonly outcome: Outcome; readonly result: T }[] = [];
      for (const [index, request] of requests.entries()) {
        const message = this.makeMessage(request, base);
        const tracer = getTracer(index);
        const machine = this.#machineOf(message, base, state, watch);
        const outcome = orRefused(message.gasLimit, () => applyMessage(machine, message, OF_A_CALL, tracer));
        all.push({ outcome, result: tracer.result(outcome) });
        watch(0);
      }
      return all;
    });
  }

  /** @throws {JsonRpcError} if there is no such block. */
  makeBase(block: CallBlock, { block: overrides }: Overrides): CallBase {
    const { rules } = this;
    const { chain } = this.deps;
    const number = block === 'pending' ? chain.heads.latest : block;
    const found = chain.header(number);
    if (found === undefined) throw headerNotFound();
    const { header } = found;
    const rulesThere = rules(header.number, header.timestamp);
    const there = makeEnvironment(header, rulesThere);
    const base: BlockValues =
      block === 'pending'
        ? {
            ...there,
            number: header.number + 1n,
            timestamp: nextTimestamp(this.deps.now?.() ?? 0n, header.timestamp),
            prevRandao: ZERO_HASH,
            baseFeePerGas: header.baseFeePerGas === undefined ? undefined : nextBaseFee(header),
            ...this.deps.next?.(),
          }
        : there;
    const environment = overrideEnvironment(base, overrides);
    return { state: chain.state(number), environment, rules: rules(environment.number, environment.timestamp) };
  }

  makeMessage(request: CallRequest, { environment }: CallBase): EvmMessage {
    const { gasCap } = this.config;
    const gas = request.gas ?? gasCap;
    const message = messageOfRequest(
      { ...request, gas: gas > gasCap ? gasCap : gas },
      { environment, gasLimit: gasCap },
    );
    return { ...message, isUnbounded: true };
  }

  /** For the answer to one request. */
  budget(): Budget {
    return new Budget(this.config.hereMs !== undefined);
  }

  /** Gives work this much time. What an execution may throw becomes an answer. @throws {TakesLong} */
  async bounded<T>(work: (watch: Watch) => T, { timeoutMs }: CallTerms = {}): Promise<T> {
    const { hereMs, timeoutMs: usual } = this.config;
    const ms = timeoutMs ?? usual;
    await readyMachine();
    try {
      return work(timeBudget(ms, { hereMs }));
    } catch (error) {
      if (error instanceof TimedOut) throw timedOut(ms);
      throw error instanceof TraceTooLong ? serverError(error.message) : error;
    }
  }

  #run(message: EvmMessage, base: CallBase, overrides: StateOverrides | undefined, watch: Watch, tracer?: Tracer) {
    const state = new StateOverlay(base.state);
    const precompiles = overridePrecompiles(base.rules.fork, overrides);
    overrideState(state, overrides);
    const machine = this.#machineOf(message, base, state, watch);
    return applyMessage(precompiles === undefined ? machine : { ...machine, precompiles }, message, OF_A_CALL, tracer);
  }

  #machineOf(message: EvmMessage, base: CallBase, state: StateOverlay, watch: Watch): MachineOptions {
    const { fork, chainId, maxCodeBytes } = base.rules;
    return {
      ...{ fork, chainId, maxCodeBytes, state, watch },
      block: environmentOfCall(base.environment, message),
      blockHash: (number) => this.deps.chain.findHash(number),
    };
  }
}

export function callOutcome({ gasUsed, output, logs, failure }: Outcome): CallOutcome {
  const shown = failure && { kind: failure.kind, message: failure.text };
  return { gasUsed, output: bytesToHex(output), logs, failure: shown };
}

/** Throws geth's error if a call cannot be run at all. */
function orRefused(gasLimit: bigint, run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (error instanceof Inapplicable) throw serverError(`err: ${error.message} (supplied gas ${gasLimit})`);
    throw error;
  }
}

export function timedOut(timeoutMs: number): JsonRpcError {
  return serverError(`execution aborted (timeout = ${timeoutMs / 1_000}s)`);
}
