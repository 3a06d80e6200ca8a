import type { Address, Hash, Log } from '@switchyard/evm-machine/types';
import { quantity } from '@switchyard/protocol/ethereum';
import { list, type Read } from '@switchyard/service/input';
import type { ChainReader, FoundLog, LogQuery } from '../chain/chain.ts';
import { MAX_LOG_BYTES } from '../chain/logs.ts';
import { invalidParams, limitExceeded, serverError } from '../json/errors.ts';
import { address, type BlockTag, blockNumber, getObject, hash } from '../json/params.ts';
import { TakesLong, TimedOut, timeBudget } from '../simulate/time-budget.ts';
import { LOG_LENGTH, MOST_HERE } from '../trace/budget.ts';
import type { RpcBounds } from './deps.ts';

/** Logs that a caller requests, in its own terms. */
export interface LogFilter {
  readonly blockHash: Hash | undefined;
  readonly fromBlock: bigint | BlockTag | undefined;
  readonly toBlock: bigint | BlockTag | undefined;
  /** Empty: any. */
  readonly addresses: readonly Address[];
  /** For each position the topics that will do; empty: any. */
  readonly topics: readonly (readonly Hash[])[];
}

/** Limits of a query. */
export type LogBounds = Pick<RpcBounds, 'maxLogs' | 'maxBlockRange' | 'queryTimeoutMs'>;

/** Addresses and topics that a filter names: its cost in memory. */
export function getTerms({ addresses: from, topics: wanted }: Pick<LogFilter, 'addresses' | 'topics'>): number {
  return wanted.reduce((sum, { length }) => sum + length, from.length);
}

const MAX_TOPICS = 4;
/** go-ethereum's limit on addresses, and on alternatives for one topic. */
const MAX_ALTERNATIVES = 1_000;

const many = list(address, MAX_ALTERNATIVES);
const addresses: Read<readonly Address[]> = (input) => (Array.isArray(input.value) ? many(input) : [address(input)]);

/** One topic, several of which one will do, or null for any; a null among several makes them any as well. */
const topicChoice: Read<readonly Hash[]> = (input) => {
  const { value } = input;
  if (value === null) return [];
  if (!Array.isArray(value)) return [hash(input)];
  return value.includes(null) ? [] : alternatives(input);
};
const alternatives = list(hash, MAX_ALTERNATIVES);
const choices = list(topicChoice, MAX_TOPICS);
const topics: Read<readonly (readonly Hash[])[]> = (input) => {
  if (Array.isArray(input.value) && input.value.length > MAX_TOPICS) input.refuse('exceed max topics');
  return choices(input);
};

const members = getObject({
  blockHash: hash,
  fromBlock: blockNumber,
  toBlock: blockNumber,
  address: addresses,
  topics,
});

export const logFilter: Read<LogFilter> = (input) => {
  const { blockHash, fromBlock, toBlock, address: from = [], topics: wanted = [] } = members(input);
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined))
    input.refuse('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other');
  return { blockHash, fromBlock, toBlock, addresses: from, topics: wanted };
};

/**
 * The logs of committed blocks that a filter selects, in order.
 *
 * @param hereMs See `BudgetOptions`.
 * @throws {JsonRpcError} for a range that makes no sense, and if the answer would be longer, or take longer, than
 * the bounds allow.
 * @throws {TakesLong}
 */
export function findLogs(
  chain: ChainReader,
  filter: LogFilter,
  { maxLogs, maxBlockRange, queryTimeoutMs }: LogBounds,
  { now, hereMs }: { readonly now: () => number; readonly hereMs?: number | undefined },
): readonly FoundLog[] {
  const { from, to } = toRange(chain, filter);
  if (maxBlockRange > 0 && to - from >= BigInt(maxBlockRange))
    throw limitExceeded(`exceed maximum block range: ${maxBlockRange}; ask for fewer blocks at a time`);
  const watch = timeBudget(queryTimeoutMs, { hereMs, clock: now });
  const { logs, more } = searched(() => chain.logs(toQuery(filter, from, to), maxLogs, watch), queryTimeoutMs);
  const length = logs.reduce((sum, { log }) => sum + LOG_LENGTH + 2 * log.data.length, 0);
  if (hereMs !== undefined && length > MOST_HERE) throw new TakesLong();
  if (!more) return logs;
  const reached = logs.at(-1)?.block ?? from;
  throw tooMany(logs.length < maxLogs ? `${MAX_LOG_BYTES} bytes of data` : `${maxLogs} results`, from, reached);
}

function searched<T>(search: () => T, timeoutMs: number): T {
  try {
    return search();
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error;
    throw serverError(`query timeout exceeded after ${timeoutMs} ms; ask for fewer blocks at a time`);
  }
}

/** The filter as a client would write it. */
export function logFilterJson({ blockHash, fromBlock, toBlock, addresses: address, topics: wanted }: LogFilter) {
  const block = (at: bigint | BlockTag | undefined) => (typeof at === 'bigint' ? quantity(at) : at);
  const any = (choice: readonly Hash[]) => (choice.length === 0 ? null : choice);
  return { blockHash, fromBlock: block(fromBlock), toBlock: block(toBlock), address, topics: wanted.map(any) };
}

export function toQuery(
  { addresses: from, topics: wanted }: Pick<LogFilter, 'addresses' | 'topics'>,
  first: bigint,
  last: bigint,
): LogQuery {
  return { from: first, to: last, addresses: from, topics: wanted };
}

/** Names a range that will do, as clients that split their queries expect it. */
function tooMany(most: string, from: bigint, reached: bigint): Error {
  const to = reached > from ? reached - 1n : from;
  return limitExceeded(
    `query returned more than ${most}. Try with this block range [0x${from.toString(16)}, 0x${to.toString(16)}].`,
  );
}

function toRange(chain: ChainReader, filter: LogFilter): { readonly from: bigint; readonly to: bigint } {
  if (filter.blockHash !== undefined) {
    const block = chain.header(filter.blockHash)?.header.number;
    if (block === undefined) throw serverError('unknown block');
    return { from: block, to: block };
  }
  const { fromBlock = 'latest', toBlock = 'latest' } = filter;
  if (fromBlock === 'pending' || toBlock === 'pending') throw invalidParams('pending logs are not supported');
  const { latest } = chain.heads;
  const from = getNumber(chain, fromBlock);
  const to = getNumber(chain, toBlock);
  if (from > to) throw invalidParams('invalid block range params');
  if (to > latest) throw invalidParams('block range extends beyond current head block');
  return { from, to };
}

/** Numbers beyond the head stay unchanged. */
function getNumber(chain: ChainReader, block: bigint | Exclude<BlockTag, 'pending'>): bigint {
  if (typeof block === 'bigint') return block;
  return block === 'earliest' ? 0n : chain.heads[block];
}

/** Whether a filter selects a log; its range is not looked at. */
export function matches({ addresses: from, topics: wanted }: Pick<LogFilter, 'addresses' | 'topics'>, log: Log) {
  if (from.length > 0 && !from.includes(log.address)) return false;
  return wanted.every((choices, position) => {
    const topic = log.topics[position];
    return topic !== undefined && (choices.length === 0 || choices.includes(topic));
  });
}
