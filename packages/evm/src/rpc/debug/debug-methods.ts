import { hexOf } from '@switchyard/protocol/ethereum';
import { InvalidData } from '@switchyard/service/input';
import { encodeBlock } from '../../blocks/block.ts';
import { encodeHeader } from '../../blocks/header.ts';
import { encodeReceipt } from '../../blocks/receipt.ts';
import type { StoredBlock } from '../../chain/chain.ts';
import type { Pool } from '../../pool/pool.ts';
import type { EvmMessage } from '../../simulate/evm-message.ts';
import type { EvmSimulator } from '../../simulate/evm-simulator.ts';
import type { Budget } from '../../trace/budget.ts';
import { storageRange } from '../../trace/storage-range.ts';
import type { Tracer } from '../../trace/tracer.ts';
import { Tracing } from '../../trace/tracing.ts';
import { callRequest, checkChain } from '../call/request.ts';
import type { RpcMethods } from '../deps.ts';
import { invalidArgument, serverError } from '../errors.ts';
import { MOVABLE, MOVABLE_AND_LARGE, marked } from '../marks.ts';
import { address, type BlockParameter, blockNumber, blockReference, hash, index, readParams } from '../params.ts';
import { findCommitted, stateBlock } from '../resolve.ts';
import { traceCallOptions, traceOptions, tracersOf } from './options.ts';

export interface DebugDeps {
  readonly simulator: EvmSimulator;
  readonly pool: Pick<Pool, 'get'>;
}

/** Traces, and what blocks are made of byte by byte. */
export function debugMethods({ simulator, pool }: DebugDeps): RpcMethods {
  const { chain } = simulator.deps;
  const tracing = new Tracing(simulator);

  const blockAt = (block: BlockParameter): StoredBlock => {
    if (block === 'pending') throw serverError('tracing on top of pending is not supported');
    const number = findCommitted(chain, block);
    const found = number === undefined ? undefined : chain.block(number);
    if (found === undefined) throw serverError(`block ${named(block)} not found`);
    return found;
  };
  const traceBlock = async (block: StoredBlock, options: ReturnType<typeof traceOptions>): Promise<unknown> => {
    const replayed = await tracing.block(block, tracers(options, 1, simulator.budget()), {
      timeoutMs: options.timeout,
    });
    return replayed.map(({ index, result }) => ({ txHash: block.transactions[index]?.hash, result }));
  };
  const raw = (params: unknown, encode: (block: StoredBlock) => unknown): unknown => {
    const [block] = readParams(params, [blockReference]);
    const number = findCommitted(chain, block);
    const found = number === undefined ? undefined : chain.block(number);
    if (found === undefined) throw serverError(`header ${named(block)} not found`);
    return encode(found);
  };

  const traces = marked(MOVABLE_AND_LARGE, {
    async debug_traceTransaction(params) {
      const [transaction, options = {}] = readParams(params, [hash], [traceOptions]);
      const traced = await tracing.transaction(transaction, tracers(options, 1, simulator.budget()), {
        timeoutMs: options.timeout,
      });
      if (traced === undefined) throw serverError('transaction not found');
      return traced.replayed.result;
    },

    async debug_traceBlockByNumber(params) {
      const [block, options = {}] = readParams(params, [blockNumber], [traceOptions]);
      return traceBlock(blockAt(block), options);
    },

    async debug_traceBlockByHash(params) {
      const [block, options = {}] = readParams(params, [hash], [traceOptions]);
      return traceBlock(blockAt({ hash: block, requireCanonical: false }), options);
    },

    async debug_traceCall(params) {
      const [request, block = 'latest', options = {}] = readParams(
        params,
        [callRequest],
        [blockReference, traceCallOptions],
      );
      checkChain(request, chain.chainId);
      const overrides = { state: options.stateOverrides, block: options.blockOverrides };
      const tracerOf = tracers(options, 2, simulator.budget());
      const terms = { timeoutMs: options.timeout };
      return (await simulator.traced(request, stateBlock(chain, block), overrides, tracerOf, terms)).result;
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
    debug_getRawHeader: (params) => raw(params, ({ header }) => hexOf(encodeHeader(header))),
    debug_getRawBlock: (params) => raw(params, (block) => hexOf(encodeBlock(block))),
    debug_getRawReceipts: (params) =>
      raw(params, ({ header }) =>
        (chain.receipts(header.number) ?? []).map((each) => hexOf(encodeReceipt(each).bytes)),
      ),

    debug_getRawTransaction(params) {
      const [transaction] = readParams(params, [hash]);
      const place = chain.transaction(transaction);
      const included = place === undefined ? undefined : chain.block(place.block)?.transactions[place.index];
      const found = included ?? pool.get(transaction);
      return found === undefined ? null : hexOf(found.raw);
    },
  };
}

/** @param position Of the options among the parameters. */
function tracers(
  options: ReturnType<typeof traceOptions>,
  position: number,
  budget: Budget,
): (message: EvmMessage) => Tracer {
  try {
    return tracersOf(options, budget);
  } catch (error) {
    if (error instanceof InvalidData) throw invalidArgument(position, error.message);
    throw error;
  }
}

function named(block: BlockParameter): string {
  if (typeof block === 'bigint') return `#${block}`;
  return typeof block === 'string' ? block : block.hash;
}
