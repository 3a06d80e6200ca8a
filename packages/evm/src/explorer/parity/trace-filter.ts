import type { Address, Hash } from '@switchyard/evm-machine/types';
import { list, optional, type Read, words } from '@switchyard/service/input';
import type { StoredBlock } from '../../chain/chain.ts';
import { invalidParams } from '../../json/errors.ts';
import { address, blockNumber, getObject, index } from '../../json/params.ts';
import type { Budget } from '../../trace/budget.ts';
import type { FlatTrace } from '../../trace/flat-tracer.ts';
import type { Replayed } from '../../trace/replay.ts';

/** Blocks that one query spans: each of their transactions is executed again. */
export const MAX_FILTERED_BLOCKS = 1_000n;
const MAX_ADDRESSES = 1_000;

const addresses: Read<readonly Address[]> = optional(list(address, MAX_ADDRESSES), []);

/** Parameter of `trace_filter`. `mode` is that of Erigon and Reth: with both lists, whether one of them will do. */
export const traceFilter = getObject({
  fromBlock: blockNumber,
  toBlock: blockNumber,
  fromAddress: addresses,
  toAddress: addresses,
  mode: words('union', 'intersection'),
  after: index,
  count: index,
});

export type TraceFilter = ReturnType<typeof traceFilter>;

/** A trace with its place in the chain. */
export interface PlacedTrace extends FlatTrace {
  readonly blockHash: Hash;
  readonly blockNumber: number;
  readonly transactionHash: Hash | undefined;
  readonly transactionPosition: number;
}

/** The traces of a transaction with their place. */
export function placed(
  { hash: blockHash, header, transactions }: StoredBlock,
  { index: position, result }: Replayed<readonly FlatTrace[]>,
): readonly PlacedTrace[] {
  const place = {
    blockHash,
    blockNumber: Number(header.number),
    transactionHash: transactions[position]?.hash,
    transactionPosition: position,
  };
  return result.map((trace) => ({ ...trace, ...place }));
}

/** @throws {JsonRpcError} if a query spans too much, or nothing. */
export function checkRange(from: bigint, to: bigint): void {
  if (from > to) throw invalidParams(`fromBlock ${from} is after toBlock ${to}`);
  if (to - from >= MAX_FILTERED_BLOCKS)
    throw invalidParams(
      `blocks ${from} to ${to} are more than ${MAX_FILTERED_BLOCKS}, which is the most: ask for fewer at a time`,
    );
}

/** Takes the traces that match, in order, without the first `after` and no more than `count`. */
export class FoundTraces {
  readonly found: PlacedTrace[] = [];
  readonly #matches: (trace: FlatTrace) => boolean;
  readonly #most: number;
  /** Bounds the traces that are kept to the length of an answer, however much is looked at. */
  readonly #budget: Budget;
  #toSkip: number;

  constructor(filter: TraceFilter, budget: Budget) {
    this.#budget = budget;
    this.#matches = createMatcher(filter);
    this.#toSkip = filter.after ?? 0;
    this.#most = filter.count ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.found.length >= this.#most;
  }

  /** @param replayed The transactions of a block, in order. */
  add(block: StoredBlock, replayed: readonly Replayed<readonly FlatTrace[]>[]): void {
    for (const trace of replayed.flatMap((each) => placed(block, each))) {
      if (this.isFull) return;
      if (!this.#matches(trace)) continue;
      if (this.#toSkip > 0) {
        this.#toSkip -= 1;
        continue;
      }
      this.#budget.take(computeLength(trace));
      this.found.push(trace);
    }
  }
}

function createMatcher({
  fromAddress = [],
  toAddress = [],
  mode = 'union',
}: TraceFilter): (trace: FlatTrace) => boolean {
  const [senders, recipients] = [new Set<string>(fromAddress), new Set<string>(toAddress)];
  const isFrom = (trace: FlatTrace) => senders.has(trace.action.from ?? trace.action.address ?? '');
  const isTo = (trace: FlatTrace) =>
    recipients.has(trace.action.to ?? trace.action.refundAddress ?? trace.result?.address ?? '');
  if (senders.size === 0) return recipients.size === 0 ? () => true : isTo;
  if (recipients.size === 0) return isFrom;
  return mode === 'union' ? (trace) => isFrom(trace) || isTo(trace) : (trace) => isFrom(trace) && isTo(trace);
}

const PLACE_LENGTH = 600;

function computeLength({ action, result, traceAddress }: FlatTrace): number {
  const texts = [...Object.values(action), ...Object.values(result ?? {})];
  return texts.reduce((sum, text) => sum + text.length, PLACE_LENGTH + 7 * traceAddress.length);
}
