import { encodeAccessList, hashOfAccessList } from '@switchyard/evm-machine/access-lists';
import { AccessRecorder } from '@switchyard/evm-machine/access-lists/recorder';
import { includes } from '@switchyard/evm-machine/fork';
import type { MachineOptions, Watch } from '@switchyard/evm-machine/interface';
import type { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { Hash, Header } from '@switchyard/evm-machine/types';
import type { BlockValues, Outcome } from '@switchyard/evm-machine/values';
import { bytesToHex, keccakHex, quantity, ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { sizeOfBlock } from '../blocks/block.ts';
import { computeBloom } from '../blocks/bloom.ts';
import { hashHeader, toHeader } from '../blocks/header.ts';
import { orderedRoot } from '../blocks/ordered-root.ts';
import { encodeReceipt } from '../blocks/receipt.ts';
import { requestsHash } from '../blocks/requests.ts';
import type { StoredBlock, StoredReceipt } from '../chain/chain.ts';
import { beforeTransactions, findRequests, MissingSystemContract } from '../embedded/system-calls.ts';
import { executionReverted, rpcError, serverError } from '../json/errors.ts';
import { logJson } from '../json/format.ts';
import { BlockGas, type GasLeft, hasRoom, mostGas } from '../rules/block-gas.ts';
import { nextBaseFee } from '../rules/rules.ts';
import { type Budget, LOG_LENGTH } from '../trace/budget.ts';
import { LogTracer, type NumberedLog } from '../trace/log-tracer.ts';
import { Inapplicable, type InapplicableKind } from './checks.ts';
import { type BlockRules, blobBaseFee, nextExcessBlobGas } from './environment.ts';
import type { EvmMessage } from './evm-message.ts';
import type { EvmSimulator } from './evm-simulator.ts';
import { applyMessage } from './message.ts';
import { overridePrecompiles, overrideState } from './overrides.ts';
import { payMiner } from './pay-miner.ts';
import { environmentOfCall, messageOfRequest } from './request.ts';
import { inheritedHeader, type PlacedBlock, type SimulatePayload } from './simulate-chain.ts';
import type { CallRequest } from './simulator.ts';
import { encodeUnsigned } from './unsigned.ts';

/** Codes of go-ethereum, for `eth_simulateV1` only. */
const CODES: Partial<Record<InapplicableKind, number>> = {
  'nonce too low': -38_010,
  'nonce too high': -38_011,
  'fee cap': -38_012,
  'tip above cap': -32_602,
  'intrinsic gas': -38_013,
  funds: -38_014,
  sender: -38_024,
  initcode: -38_025,
};
/** A call and its transaction in JSON, but for data and logs, at most. */
const CALL_LENGTH = 3_000;
const BLOCK_GAS = -38_015;
const FAILED = -32_015;
const INTERNAL = -32_603;

/** A call that was run. */
interface Ran {
  readonly message: EvmMessage;
  readonly type: number;
  readonly raw: Uint8Array;
  readonly hash: Hash;
  readonly outcome: Outcome;
  /** With the ones for the native coin, if requested. */
  readonly logs: readonly NumberedLog[];
}

/** Blocks of calls, each on top of the one before. */
export class SimulatedChain {
  readonly #simulator: EvmSimulator;
  readonly #base: bigint;
  readonly #state: StateOverlay;
  readonly #payload: SimulatePayload;
  readonly #watch: Watch;
  readonly #budget: Budget;
  readonly #hashes = new Map<bigint, Hash>();
  #parent: { readonly hash: Hash; readonly header: Header };
  /** Gas that all calls together may still use. */
  #gas: bigint;

  constructor(
    simulator: EvmSimulator,
    base: { readonly hash: Hash; readonly header: Header },
    state: StateOverlay,
    payload: SimulatePayload,
    watch: Watch,
  ) {
    this.#simulator = simulator;
    this.#base = base.header.number;
    this.#parent = base;
    this.#state = state;
    this.#payload = payload;
    this.#watch = watch;
    this.#gas = simulator.config.gasCap;
    this.#budget = simulator.budget();
  }

  add(block: PlacedBlock): { readonly stored: StoredBlock; readonly calls: readonly unknown[] } {
    const rules = this.#simulator.rules(block.number, block.timestamp);
    const { header, environment } = this.#begin(block, rules);
    const precompiles = overridePrecompiles(rules.fork, block.stateOverrides);
    overrideState(this.#state, block.stateOverrides);
    const tracer = new LogTracer(this.#payload.traceTransfers === true);
    const recorder = includes(rules.fork, 'amsterdam') ? new AccessRecorder() : undefined;
    const machine: MachineOptions = {
      fork: rules.fork,
      maxCodeBytes: rules.maxCodeBytes,
      chainId: rules.chainId,
      state: this.#state,
      block: environment,
      blockHash: (number) => this.#hashOf(number),
      watch: this.#watch,
      recorder,
      ...(precompiles === undefined ? {} : { precompiles }),
    };
    beforeTransactions(machine, header);
    const ran: Ran[] = [];
    const gas = new BlockGas(rules.fork, header.gasLimit);
    for (const request of block.calls) {
      if (recorder !== undefined) recorder.index = ran.length + 1;
      const one = this.#run(machine, request, tracer, gas);
      gas.add(one.outcome.blockGas);
      ran.push(one);
    }
    payMiner(machine);
    if (recorder !== undefined) recorder.index = ran.length + 1;
    const requests = requestsIn(machine);
    const accessList = recorder && hashOfAccessList(encodeAccessList(recorder.list()));
    const stored = this.#finish({ ...header, gasUsed: gas.used, blockAccessListHash: accessList }, ran, requests);
    this.#parent = stored;
    this.#hashes.set(block.number, stored.hash);
    this.#watch(0);
    return { stored, calls: ran.map((each, index) => callJson(stored, each, index)) };
  }

  /** The part of the header that is known before execution. */
  #begin(block: PlacedBlock, rules: BlockRules): { readonly header: Header; readonly environment: BlockValues } {
    const parent = this.#parent;
    const { overrides } = block;
    const expected = this.#payload.validation === true ? nextBaseFee(parent.header) : 0n;
    const { fork } = rules;
    const excess = includes(fork, 'cancun') ? nextExcessBlobGas(parent.header, rules) : undefined;
    const header = toHeader(fork, {
      ...inheritedHeader(parent.header, block),
      parentHash: parent.hash,
      stateRoot: ZERO_HASH,
      baseFeePerGas: overrides.baseFeePerGas ?? expected,
      excessBlobGas: excess,
      slotNumber: (parent.header.slotNumber ?? 0n) + 1n,
    });
    const { number, timestamp, gasLimit, coinbase, difficulty, mixHash: prevRandao } = header;
    const { baseFeePerGas, slotNumber } = header;
    const environment: BlockValues = {
      ...{ number, timestamp, gasLimit, coinbase, difficulty, prevRandao, baseFeePerGas, slotNumber },
      blobBaseFee: excess === undefined ? undefined : (overrides.blobBaseFee ?? blobBaseFee(excess, rules)),
    };
    return { header, environment };
  }

  #run(machine: MachineOptions, request: CallRequest, tracer: LogTracer, left: GasLeft): Ran {
    const { block: environment, chainId, state } = machine;
    const validation = this.#payload.validation === true;
    const remaining = mostGas(left);
    const wanted = request.gas ?? remaining;
    if (!hasRoom(wanted, left))
      throw rpcError(BLOCK_GAS, `block gas limit reached: remaining: ${remaining}, required: ${wanted}`);
    const gas = wanted > this.#gas ? this.#gas : wanted;
    const refused = (why: string, code = INTERNAL) => rpcError(code, `err: ${why} (supplied gas ${gas})`);
    const nonce = state.account(request.from ?? ZERO_ADDRESS)?.nonce ?? 0n;
    const described = messageOfRequest({ ...request, gas }, { environment, gasLimit: gas, nonce });
    const message: EvmMessage = validation ? described : { ...described, isUnbounded: true };
    const form = { priced: request.gasPrice !== undefined, listed: request.accessList !== undefined };
    const { type, raw } = encodeUnsigned(message, { ...form, chainId });
    const checks = { nonce: validation, sender: false, fees: validation };
    const block = validation ? environment : environmentOfCall(environment, message);
    try {
      const outcome = applyMessage({ ...machine, block }, message, checks, tracer);
      this.#gas -= outcome.gasUsed;
      const logs = tracer.result();
      const logged = logs.reduce((sum, { log }) => sum + LOG_LENGTH + 2 * log.data.length, 0);
      this.#budget.take(CALL_LENGTH + 2 * (raw.length + outcome.output.length) + logged);
      return { message, type, raw, hash: keccakHex(raw), outcome, logs };
    } catch (error) {
      if (error instanceof Inapplicable) throw refused(error.message, CODES[error.kind]);
      throw error;
    }
  }

  #finish(header: Header, ran: readonly Ran[], requests: readonly Uint8Array[]): StoredBlock {
    const raws = ran.map(({ raw }) => raw);
    const receipts = ran.map((each, index) => makeReceipt(each, computeGas(ran.slice(0, index + 1))));
    const logs = ran.flatMap(({ outcome }) => outcome.logs);
    const blobs = ran.reduce((sum, { message }) => sum + BigInt(message.blobHashes?.length ?? 0), 0n);
    const whole: Header = {
      ...header,
      stateRoot: this.#simulator.deps.stateRoot?.(this.#base, this.#state) ?? ZERO_HASH,
      transactionsRoot: orderedRoot(raws),
      receiptsRoot: orderedRoot(receipts.map((receipt) => encodeReceipt(receipt).bytes)),
      logsBloom: bytesToHex(computeBloom(logs)),
      blobGasUsed: header.blobGasUsed === undefined ? undefined : blobs * GAS_OF_BLOB,
      requestsHash: header.requestsHash === undefined ? undefined : requestsHash(requests),
    };
    return {
      hash: hashHeader(whole),
      header: whole,
      transactions: ran.map(({ hash, message, raw }) => ({ hash, from: message.from, raw })),
      withdrawals: [],
      size: sizeOfBlock(whole, raws, []),
    };
  }

  #hashOf(number: bigint): Hash | undefined {
    return number > this.#base ? this.#hashes.get(number) : this.#simulator.deps.chain.findHash(number);
  }
}

const GAS_OF_BLOB = 131_072n;

function requestsIn(machine: MachineOptions): readonly Uint8Array[] {
  try {
    return findRequests(machine) ?? [];
  } catch (error) {
    throw error instanceof MissingSystemContract ? serverError(error.found) : error;
  }
}

function computeGas(ran: readonly Ran[]): bigint {
  return ran.reduce((sum, { outcome }) => sum + outcome.gasUsed, 0n);
}

function makeReceipt({ type, outcome, message }: Ran, cumulativeGasUsed: bigint): StoredReceipt {
  const { gasUsed, failure, created, logs } = outcome;
  const status = failure === undefined ? 1 : 0;
  const effectiveGasPrice = message.gasPrice;
  return { type, status, gasUsed, cumulativeGasUsed, effectiveGasPrice, contractAddress: created, logs };
}

function callJson({ hash, header }: StoredBlock, { outcome, logs, hash: transaction }: Ran, index: number): unknown {
  const place = { block: header.number, blockHash: hash, timestamp: header.timestamp, transactionIndex: index };
  return {
    returnData: outcome.failure === undefined ? bytesToHex(outcome.output) : '0x',
    logs: logs.map(({ log, index: logIndex }) => logJson({ log, ...place, transaction, logIndex })),
    gasUsed: quantity(outcome.gasUsed),
    maxUsedGas: quantity(outcome.gasPeak),
    status: outcome.failure === undefined ? '0x1' : '0x0',
    ...(outcome.failure === undefined ? {} : { error: errorJson(outcome) }),
  };
}

function errorJson({ failure, output }: Outcome): unknown {
  if (failure?.kind !== 'revert') return { message: failure?.text, code: FAILED };
  const { rpcMessage: message, code, data } = executionReverted(bytesToHex(output));
  return { message, code, data };
}
