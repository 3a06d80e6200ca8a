import type { RpcContext } from '@switchyard/service/json-rpc';
import type { StoredBlock } from '../../chain/chain.ts';
import { hexOf } from '../../hex.ts';
import { callRequest, checkChain } from '../../rpc/call/request.ts';
import type { RpcMethods } from '../../rpc/deps.ts';
import { invalidArgument, serverError } from '../../rpc/errors.ts';
import { type BlockParameter, blockNumber, blockReference, hash, listOf, readParams, text } from '../../rpc/params.ts';
import { findCommitted, stateBlock } from '../../rpc/resolve.ts';
import { termsOf } from '../../rpc/terms.ts';
import type { EvmSimulator } from '../../simulate/evm-simulator.ts';
import { Budget } from '../../trace/budget.ts';
import { type FlatTrace, FlatTracer } from '../../trace/flat-tracer.ts';
import type { Replayed } from '../../trace/replay.ts';
import { NoopTracer } from '../../trace/small-tracers.ts';
import type { Tracer } from '../../trace/tracer.ts';
import { Tracing } from '../../trace/tracing.ts';
import { StateDiffTracer } from './state-diff.ts';
import { VmTracer } from './vm-tracer.ts';

export interface TraceDeps {
  readonly simulator: EvmSimulator;
}

const kinds = listOf(text(40), 10);

/** OpenEthereum's way to list what was inside of transactions. */
export function traceMethods({ simulator }: TraceDeps): RpcMethods {
  const { chain } = simulator.deps;
  const tracing = new Tracing(simulator);

  const traceBlock = async (block: BlockParameter, { from }: RpcContext) => {
    const number = findCommitted(chain, block);
    const found = number === undefined ? undefined : chain.block(number);
    if (found === undefined) return undefined;
    const budget = new Budget();
    // Nothing runs in the first block.
    const replayed =
      found.header.number === 0n ? [] : await tracing.block(found, () => new FlatTracer(budget), termsOf(from));
    return { block: found, replayed };
  };

  return {
    async trace_block(params, context) {
      const [block] = readParams(params, [blockNumber]);
      const traced = await traceBlock(block, context);
      if (traced === undefined) return null;
      return traced.replayed.flatMap((each) => placed(traced.block, each));
    },

    async trace_transaction(params, { from }) {
      const [transaction] = readParams(params, [hash]);
      const traced = await tracing.transaction(transaction, () => new FlatTracer(), termsOf(from));
      return traced === undefined ? null : placed(traced.block, traced.replayed);
    },

    async trace_call(params, { from }) {
      const [request, wanted, block = 'latest'] = readParams(params, [callRequest, kinds], [blockReference]);
      check(wanted);
      checkChain(request, chain.chainId);
      const at = stateBlock(chain, block);
      const run = async <T>(kind: string, tracerOf: () => Tracer<T>) =>
        wanted.includes(kind) ? await simulator.traced(request, at, {}, tracerOf, termsOf(from)) : undefined;
      // One after the other, as below.
      const flat = await run('trace', () => new FlatTracer());
      const state = await run('stateDiff', () => new StateDiffTracer());
      const steps = await run('vmTrace', () => new VmTracer());
      const { outcome } =
        flat ?? state ?? steps ?? (await simulator.traced(request, at, {}, () => new NoopTracer(), termsOf(from)));
      return {
        output: hexOf(outcome.output),
        stateDiff: state?.result ?? null,
        trace: flat?.result ?? [],
        vmTrace: steps?.result ?? null,
      };
    },

    async trace_replayTransaction(params, { from }) {
      const [transaction, wanted] = readParams(params, [hash, kinds]);
      check(wanted);
      const run = async <T>(kind: string, tracerOf: () => Tracer<T>) =>
        wanted.includes(kind) ? await tracing.transaction(transaction, tracerOf, termsOf(from)) : undefined;
      // One after the other: each follows other things.
      const flat = await run('trace', () => new FlatTracer());
      const state = await run('stateDiff', () => new StateDiffTracer());
      const steps = await run('vmTrace', () => new VmTracer());
      const any =
        flat ?? state ?? steps ?? (await tracing.transaction(transaction, () => new NoopTracer(), termsOf(from)));
      if (any === undefined) throw serverError('transaction not found');
      return {
        output: hexOf(any.replayed.outcome.output),
        stateDiff: state?.replayed.result ?? null,
        trace: flat?.replayed.result ?? [],
        vmTrace: steps?.replayed.result ?? null,
      };
    },

    async trace_replayBlockTransactions(params, context) {
      const [block, wanted] = readParams(params, [blockNumber, kinds]);
      check(wanted, ['trace']);
      const traced = await traceBlock(block, context);
      if (traced === undefined) return null;
      const { transactions } = traced.block;
      return traced.replayed.map((each) => ({ ...replayJson(each), transactionHash: transactions[each.index]?.hash }));
    },
  };
}

const KINDS = ['trace', 'stateDiff', 'vmTrace'];

function check(wanted: readonly string[], known: readonly string[] = KINDS): void {
  const other = wanted.find((kind) => !known.includes(kind));
  if (other !== undefined)
    throw invalidArgument(1, `expected some of ${known.join(', ')}, got ${JSON.stringify(other)}`);
}

function placed(
  { hash: blockHash, header, transactions }: StoredBlock,
  { index, result }: Replayed<readonly FlatTrace[]>,
) {
  const place = {
    blockHash,
    blockNumber: Number(header.number),
    transactionHash: transactions[index]?.hash,
    transactionPosition: index,
  };
  return result.map((trace) => ({ ...trace, ...place }));
}

function replayJson({ outcome, result }: Replayed<readonly FlatTrace[]>): Record<string, unknown> {
  return { output: hexOf(outcome.output), stateDiff: null, trace: result, vmTrace: null };
}
