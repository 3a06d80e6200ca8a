import type { Outcome } from '@switchyard/evm-machine/values';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import { list, type Read, words } from '@switchyard/service/input';
import { invalidParams, serverError } from '../../json/errors.ts';
import {
  type BlockParameter,
  type BlockTag,
  blockNumber,
  blockReference,
  hash,
  readParams,
} from '../../json/params.ts';
import { committedBlock, findCommitted, stateBlock } from '../../json/resolve.ts';
import type { RpcMethods } from '../../rpc/deps.ts';
import { MOVABLE_AND_LARGE, marked } from '../../rpc/marks.ts';
import { callRequest, checkChain } from '../../simulate/call-request.ts';
import type { CallRequest } from '../../simulate/simulator.ts';
import { Budget } from '../../trace/budget.ts';
import { type FlatTrace, FlatTracer } from '../../trace/flat-tracer.ts';
import type { FrameEnd, FrameStart, Step, Tracer, TraceStart } from '../../trace/tracer.ts';
import { Tracing } from '../../trace/tracing.ts';
import type { ExplorerParts } from '../deps.ts';
import { type StateDifference, StateDiffTracer } from './state-diff.ts';
import { checkRange, FoundTraces, placed, traceFilter } from './trace-filter.ts';
import { type VmTrace, VmTracer } from './vm-tracer.ts';

const KINDS = ['trace', 'stateDiff', 'vmTrace'] as const;
const kinds = list(words(...KINDS), 10);

const MAX_CALLS = 1_000;

const callWithKinds: Read<readonly [CallRequest, readonly string[]]> = (input) => {
  const [request, wanted, ...more] = input.list(2);
  if (request === undefined || wanted === undefined || more.length > 0) return input.fail('a call and kinds of traces');
  return [callRequest(request), kinds(wanted)];
};

const callsWithKinds = list(callWithKinds, MAX_CALLS);

/** OpenEthereum's way to list the inside of transactions. */
export function traceMethods({ simulator }: Pick<ExplorerParts, 'simulator'>): RpcMethods {
  const { chain } = simulator.deps;
  const tracing = new Tracing(simulator);

  const traceBlock = async <T>(block: BlockParameter, getTracer: (budget: Budget) => Tracer<T>) => {
    const found = committedBlock(chain, block);
    if (found === undefined) return undefined;
    const budget = simulator.budget();
    // Nothing runs in the first block.
    const replayed = found.header.number === 0n ? [] : await tracing.block(found, () => getTracer(budget));
    return { block: found, replayed };
  };

  return marked(MOVABLE_AND_LARGE, {
    async trace_block(params) {
      const [block] = readParams(params, [blockNumber]);
      const traced = await traceBlock(block, (budget) => new FlatTracer(budget));
      if (traced === undefined) return null;
      return traced.replayed.flatMap((each) => placed(traced.block, each));
    },

    async trace_transaction(params) {
      const [transaction] = readParams(params, [hash]);
      const traced = await tracing.transaction(transaction, () => new FlatTracer(simulator.budget()));
      return traced === undefined ? null : placed(traced.block, traced.replayed);
    },

    async trace_call(params) {
      const [request, wanted, block = 'latest'] = readParams(params, [callRequest, kinds], [blockReference]);
      checkChain(request, chain.chainId);
      const toTracer = () => new WantedTracer(wanted, simulator.budget());
      return tracesJson(await simulator.traced(request, stateBlock(chain, block), {}, toTracer));
    },

    async trace_callMany(params) {
      const [calls, block = 'latest'] = readParams(params, [callsWithKinds], [blockReference]);
      for (const [request] of calls) checkChain(request, chain.chainId);
      const budget = simulator.budget();
      const traced = await simulator.tracedInOrder(
        calls.map(([request]) => request),
        stateBlock(chain, block),
        (position) => new WantedTracer(calls[position]?.[1] ?? [], budget),
      );
      return traced.map(tracesJson);
    },

    async trace_filter(params) {
      const [filter] = readParams(params, [traceFilter]);
      const { latest } = chain.heads;
      const committed = (block: BlockTag | bigint): bigint => {
        const number = findCommitted(chain, block);
        if (number === undefined) throw invalidParams(`block ${block} is not there: the latest is ${latest}`);
        return number;
      };
      const at = (block: BlockTag | bigint | undefined, otherwise: bigint) =>
        block === undefined ? otherwise : committed(block);
      const [from, to] = [at(filter.fromBlock, 0n), at(filter.toBlock, latest)];
      checkRange(from, to);
      const traces = new FoundTraces(filter, simulator.budget());
      if (traces.isFull) return [];
      await tracing.blocks(
        from,
        to,
        () => new FlatTracer(simulator.budget()),
        (block, replayed) => {
          traces.add(block, replayed);
          return traces.isFull;
        },
      );
      return traces.found;
    },

    async trace_replayTransaction(params) {
      const [transaction, wanted] = readParams(params, [hash, kinds]);
      const traced = await tracing.transaction(transaction, () => new WantedTracer(wanted, simulator.budget()));
      if (traced === undefined) throw serverError('transaction not found');
      return tracesJson(traced.replayed);
    },

    async trace_replayBlockTransactions(params) {
      const [block, wanted] = readParams(params, [blockNumber, kinds]);
      const traced = await traceBlock(block, (budget) => new WantedTracer(wanted, budget));
      if (traced === undefined) return null;
      const { transactions } = traced.block;
      return traced.replayed.map((each) => ({ ...tracesJson(each), transactionHash: transactions[each.index]?.hash }));
    },
  });
}

/** The outcome of one execution with the requested parts. */
function tracesJson({ outcome, result }: { readonly outcome: Outcome; readonly result: WantedTraces }) {
  return { output: bytesToHex(outcome.output), ...result };
}

interface WantedTraces {
  readonly stateDiff: StateDifference | null;
  readonly trace: readonly FlatTrace[];
  readonly vmTrace: VmTrace | null;
}

/** Collects the traces that a caller of the `trace_` methods wants of one transaction, from one execution. */
class WantedTracer implements Tracer<WantedTraces> {
  readonly #flat: FlatTracer | undefined;
  readonly #state: StateDiffTracer | undefined;
  readonly #steps: VmTracer | undefined;
  readonly #all: readonly Tracer[];
  /** Absent if none looks at single instructions. */
  readonly step: ((step: Step) => void) | undefined;
  readonly stepped: ((cost: number, error: string | undefined) => void) | undefined;

  /** @param wanted Of `KINDS`. */
  constructor(wanted: readonly string[], budget = new Budget()) {
    this.#flat = wanted.includes('trace') ? new FlatTracer(budget) : undefined;
    this.#state = wanted.includes('stateDiff') ? new StateDiffTracer(budget) : undefined;
    this.#steps = wanted.includes('vmTrace') ? new VmTracer(budget) : undefined;
    this.#all = [this.#flat, this.#state, this.#steps].filter((tracer) => tracer !== undefined);
    const stepping = [this.#state, this.#steps].filter((tracer) => tracer !== undefined);
    if (stepping.length === 0) return;
    this.step = (step) => {
      for (const tracer of stepping) tracer.step(step);
    };
    this.stepped = (cost, error) => {
      for (const tracer of stepping) tracer.stepped(cost, error);
    };
  }

  start(start: TraceStart): void {
    for (const tracer of this.#all) tracer.start?.(start);
  }

  enter(frame: FrameStart): void {
    for (const tracer of this.#all) tracer.enter?.(frame);
  }

  exit(end: FrameEnd): void {
    for (const tracer of this.#all) tracer.exit?.(end);
  }

  result(): WantedTraces {
    return {
      stateDiff: this.#state?.result() ?? null,
      trace: this.#flat?.result() ?? [],
      vmTrace: this.#steps?.result() ?? null,
    };
  }
}
