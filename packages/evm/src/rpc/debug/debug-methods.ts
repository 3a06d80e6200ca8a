import { bytesToHex } from '@switchyard/protocol/ethereum';
import { InvalidData } from '@switchyard/service/input';
import { encodeBlock } from '../../blocks/block.ts';
import { encodeHeader } from '../../blocks/header.ts';
import { encodeReceipt } from '../../blocks/receipt.ts';
import type { StoredBlock } from '../../chain/chain.ts';
import { invalidArgument, serverError } from '../../json/errors.ts';
import {
  address,
  type BlockParameter,
  blockHash,
  blockNumber,
  blockReference,
  hash,
  index,
  readParams,
} from '../../json/params.ts';
import { committedBlock, locate, stateBlock } from '../../json/resolve.ts';
import type { Pool } from '../../pool/pool.ts';
import { callRequest, checkChain } from '../../simulate/call-request.ts';
import type { EvmMessage } from '../../simulate/evm-message.ts';
import type { EvmSimulator } from '../../simulate/evm-simulator.ts';
import type { CallTerms } from '../../simulate/simulator.ts';
import { TakesLong } from '../../simulate/time-budget.ts';
import type { Budget } from '../../trace/budget.ts';
import { StepCosts } from '../../trace/script/costs.ts';
import { type ScriptPlace, ScriptTracer, scriptRuntime } from '../../trace/script/script-tracer.ts';
import { storageRange } from '../../trace/storage-range.ts';
import type { Tracer } from '../../trace/tracer.ts';
import { Tracing } from '../../trace/tracing.ts';
import type { RpcMethods } from '../deps.ts';
import { MOVABLE, MOVABLE_AND_LARGE, marked } from '../marks.ts';
import { findScript, getTracers, type Options, traceCallOptions, traceOptions } from './options.ts';

export interface DebugDeps {
  readonly simulator: EvmSimulator;
  readonly pool: Pick<Pool, 'get'>;
}

/** Traces, and the bytes of blocks. */
export function debugMethods({ simulator, pool }: DebugDeps): RpcMethods {
  const { chain } = simulator.deps;
  const tracing = new Tracing(simulator);

  const blockAt = (block: BlockParameter): StoredBlock => {
    if (block === 'pending') throw serverError('tracing on top of pending is not supported');
    const found = committedBlock(chain, block);
    if (found === undefined) throw serverError(`block ${named(block)} not found`);
    return found;
  };
  const traceBlock = async (block: StoredBlock, options: Options): Promise<unknown> => {
    const replayed = await follow(
      options,
      1,
      (index) => placeIn(block, index),
      (getTracer, terms) => tracing.block(block, getTracer, terms),
    );
    return replayed.map(({ index, result }) => ({ txHash: block.transactions[index]?.hash, result }));
  };
  const placeIn = ({ hash: blockHash, header, transactions }: StoredBlock, txIndex: number): ScriptPlace => {
    const { number, timestamp, baseFeePerGas: baseFee = 0n } = header;
    const { fork } = simulator.rules(number, timestamp);
    return { fork, number, baseFee, blockHash, txHash: transactions[txIndex]?.hash, txIndex };
  };
  /**
   * Runs the transactions under the requested tracers: the ones in JavaScript a second time, with the costs that the
   * first time found.
   *
   * @param placeOf Of each transaction, which are counted from 0.
   */
  const follow = async <T>(
    options: Options,
    position: number,
    getPlace: (index: number) => ScriptPlace,
    run: (getTracer: (message: EvmMessage) => Tracer, terms: CallTerms) => Promise<T>,
  ): Promise<T> => {
    const terms = { timeoutMs: options.timeout };
    const budget = simulator.budget();
    const script = findScript(options);
    if (script === undefined) return run(tracers(options, position, budget), terms);
    const { hereMs, timeoutMs } = simulator.config;
    if (hereMs !== undefined) throw new TakesLong();
    const runtime = await scriptRuntime(options.timeout ?? timeoutMs);
    const found: StepCosts[] = [];
    const counting = () => found[found.push(new StepCosts(budget)) - 1] ?? new StepCosts(budget);
    await run(counting, terms);
    let index = 0;
    const config = options.tracerConfig?.json ?? '{}';
    return run((message) => {
      const costs = found[index] ?? new StepCosts(budget);
      const tracer = new ScriptTracer(runtime, message, getPlace(index), { script, config, costs, budget });
      index += 1;
      return tracer;
    }, terms);
  };
  const raw = (params: unknown, encode: (block: StoredBlock) => unknown): unknown => {
    const [block] = readParams(params, [blockReference]);
    const found = committedBlock(chain, block);
    if (found === undefined) throw serverError(`header ${named(block)} not found`);
    return encode(found);
  };

  const traces = marked(MOVABLE_AND_LARGE, {
    async debug_traceTransaction(params) {
      const [transaction, options = {}] = readParams(params, [hash], [traceOptions]);
      const notFound = serverError('transaction not found');
      const placed = (): ScriptPlace => {
        const found = locate(chain, transaction);
        if (found === undefined) throw notFound;
        return placeIn(found.block, found.index);
      };
      const traced = await follow(options, 1, placed, (getTracer, terms) =>
        tracing.transaction(transaction, getTracer, terms),
      );
      if (traced === undefined) throw notFound;
      return traced.replayed.result;
    },

    async debug_traceBlockByNumber(params) {
      const [block, options = {}] = readParams(params, [blockNumber], [traceOptions]);
      return traceBlock(blockAt(block), options);
    },

    async debug_traceBlockByHash(params) {
      const [block, options = {}] = readParams(params, [blockHash], [traceOptions]);
      return traceBlock(blockAt(block), options);
    },

    async debug_traceCall(params) {
      const [request, block = 'latest', options = {}] = readParams(
        params,
        [callRequest],
        [blockReference, traceCallOptions],
      );
      checkChain(request, chain.chainId);
      const overrides = { state: options.stateOverrides, block: options.blockOverrides };
      const at = stateBlock(chain, block);
      const placed = (): ScriptPlace => {
        const { environment, rules } = simulator.makeBase(at, overrides);
        return { fork: rules.fork, number: environment.number, baseFee: 0n };
      };
      const traced = await follow(options, 2, placed, (getTracer, terms) =>
        simulator.traced(request, at, overrides, getTracer, terms),
      );
      return traced.result;
    },
  });
  const ranges = marked(MOVABLE, {
    async debug_storageRangeAt(params) {
      const [reference, position, contract, start, limit] = readParams(params, [
        blockReference,
        index,
        address,
        hash,
        index,
      ]);
      const block = blockAt(reference);
      const count = block.transactions.length;
      if (position >= Math.max(count, 1))
        throw serverError(`transaction index ${position} out of range for block ${block.hash}`);
      const slots = simulator.deps.slotsEver(contract);
      const query = { address: contract, start, limit, slots };
      return tracing.stateBefore(block, position, (state, watch) => storageRange(state, query, watch));
    },
  });
  return {
    ...traces,
    ...ranges,
    debug_getRawHeader: (params) => raw(params, ({ header }) => bytesToHex(encodeHeader(header))),
    debug_getRawBlock: (params) => raw(params, (block) => bytesToHex(encodeBlock(block))),
    debug_getRawReceipts: (params) =>
      raw(params, ({ header }) =>
        (chain.receipts(header.number) ?? []).map((each) => bytesToHex(encodeReceipt(each).bytes)),
      ),

    debug_getRawTransaction(params) {
      const [transaction] = readParams(params, [hash]);
      const located = locate(chain, transaction);
      const found = located?.block.transactions[located.index] ?? pool.get(transaction);
      return found === undefined ? null : bytesToHex(found.raw);
    },
  };
}

/** @param position Of the options among the parameters. */
function tracers(options: Options, position: number, budget: Budget): (message: EvmMessage) => Tracer {
  try {
    return getTracers(options, budget);
  } catch (error) {
    if (error instanceof InvalidData) throw invalidArgument(position, error.message);
    throw error;
  }
}

function named(block: BlockParameter): string {
  if (typeof block === 'bigint') return `#${block}`;
  return typeof block === 'string' ? block : block.hash;
}
