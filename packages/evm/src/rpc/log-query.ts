import type { Read } from '@switchyard/service/input';
import { list } from '@switchyard/service/input';
import type { ChainReader, FoundLog, LogQuery } from '../chain/chain.ts';
import { MAX_LOG_BYTES } from '../chain/logs.ts';
import { pauseEvery, TURN_MS, type Turn } from '../pause.ts';
import type { Address, Hash, Log } from '../types.ts';
import type { RpcBounds } from './deps.ts';
import { invalidParams, limitExceeded, serverError } from './errors.ts';
import { address, type BlockTag, blockNumber, hash, objectOf } from './params.ts';

/** Which logs a caller wants, as it asked. */
export interface LogFilter {
  readonly blockHash: Hash | undefined;
  readonly fromBlock: bigint | BlockTag | undefined;
  readonly toBlock: bigint | BlockTag | undefined;
  /** Empty: any. */
  readonly addresses: readonly Address[];
  /** For each position the topics that will do; empty: any. */
  readonly topics: readonly (readonly Hash[])[];
}

/** Addresses and topics that a filter names: what it costs to keep it. */
export function termsOf({ addresses: from, topics: wanted }: Pick<LogFilter, 'addresses' | 'topics'>): number {
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

const members = objectOf({ blockHash: hash, fromBlock: blockNumber, toBlock: blockNumber, address: addresses, topics });

export const logFilter: Read<LogFilter> = (input) => {
  const { blockHash, fromBlock, toBlock, address: from = [], topics: wanted = [] } = members(input);
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined))
    input.refuse('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other');
  return { blockHash, fromBlock, toBlock, addresses: from, topics: wanted };
};

/** Blocks that are searched before others have their turn: as many as take about that long, which depends on what they hold. */
const [SHORTEST, FIRST, LONGEST] = [16n, 256n, 8_192n];

/**
 * The logs of committed blocks that a filter selects, in order.
 *
 * @throws {JsonRpcError} for a range that makes no sense, and where the answer would be longer, or take longer, than
 * the bounds allow.
 */
export async function findLogs(
  chain: ChainReader,
  filter: LogFilter,
  { maxLogs, maxBlockRange, queryTimeoutMs }: Pick<RpcBounds, 'maxLogs' | 'maxBlockRange' | 'queryTimeoutMs'>,
  now: () => number,
  turn: Turn,
): Promise<readonly FoundLog[]> {
  const { from, to } = rangeOf(chain, filter);
  if (maxBlockRange > 0 && to - from >= BigInt(maxBlockRange))
    throw limitExceeded(`exceed maximum block range: ${maxBlockRange}; ask for fewer blocks at a time`);
  const end = now() + queryTimeoutMs;
  const pause = pauseEvery(TURN_MS, { clock: now, turn });
  const found: FoundLog[] = [];
  let stretch = FIRST;
  let bytes = 0;
  for (let start = from; start <= to; ) {
    await pause();
    const began = now();
    if (began > end)
      throw serverError(
        `query timeout exceeded after ${queryTimeoutMs} ms at block ${start}; ask for fewer blocks at a time`,
      );
    const last = start + stretch - 1n;
    const query = queryOf(filter, start, last < to ? last : to);
    const { logs, more } = chain.logs(query, maxLogs - found.length);
    for (const each of logs) {
      found.push(each);
      bytes += each.log.data.length;
      if (bytes > MAX_LOG_BYTES && to > from) throw tooMany(`${MAX_LOG_BYTES} bytes of data`, from, each.block);
    }
    if (more) throw tooMany(`${maxLogs} results`, from, found.at(-1)?.block ?? start);
    start = last + 1n;
    stretch = nextStretch(stretch, now() - began);
  }
  return found;
}

function nextStretch(stretch: bigint, tookMs: number): bigint {
  if (tookMs > TURN_MS) return stretch / 4n > SHORTEST ? stretch / 4n : SHORTEST;
  return tookMs >= TURN_MS / 3 || stretch * 4n > LONGEST ? stretch : stretch * 4n;
}

export function queryOf(
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

function rangeOf(chain: ChainReader, filter: LogFilter): { readonly from: bigint; readonly to: bigint } {
  if (filter.blockHash !== undefined) {
    const block = chain.header(filter.blockHash)?.header.number;
    if (block === undefined) throw serverError('unknown block');
    return { from: block, to: block };
  }
  const { fromBlock = 'latest', toBlock = 'latest' } = filter;
  if (fromBlock === 'pending' || toBlock === 'pending') throw invalidParams('pending logs are not supported');
  const { latest } = chain.heads;
  const from = numberOf(chain, fromBlock);
  const to = numberOf(chain, toBlock);
  if (from > to) throw invalidParams('invalid block range params');
  if (to > latest) throw invalidParams('block range extends beyond current head block');
  return { from, to };
}

/** Numbers beyond the head stay what they are. */
function numberOf(chain: ChainReader, block: bigint | Exclude<BlockTag, 'pending'>): bigint {
  if (typeof block === 'bigint') return block;
  return block === 'earliest' ? 0n : chain.heads[block];
}

/** Whether a log is one of those that a filter selects; its range is not looked at. */
export function matches(
  { addresses: from, topics: wanted }: Pick<LogFilter, 'addresses' | 'topics'>,
  log: Log,
): boolean {
  if (from.length > 0 && !from.includes(log.address)) return false;
  return wanted.every((choices, position) => {
    const topic = log.topics[position];
    return topic !== undefined && (choices.length === 0 || choices.includes(topic));
  });
}
