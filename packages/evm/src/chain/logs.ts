import type { Hash, Log } from '@switchyard/evm-machine/types';
import type { ChainReader, FoundLog, LogQuery, StoredBlock, StoredReceipt } from './chain.ts';

/** Data of logs that is answered at a time; no block is divided for it. */
export const MAX_LOG_BYTES = 16 * 1_048_576;

/** The logs of the candidate blocks that a query asks for, in order. */
export function findLogs(
  chain: Pick<ChainReader, 'block' | 'receipts'>,
  candidates: Iterable<bigint>,
  query: LogQuery,
  limit: number,
): { readonly logs: readonly FoundLog[]; readonly more: boolean } {
  const logs: FoundLog[] = [];
  const matches = matcher(query);
  let bytes = 0;
  for (const number of candidates) {
    if (bytes > MAX_LOG_BYTES) return { logs, more: true };
    const block = chain.block(number);
    const receipts = chain.receipts(number);
    if (block === undefined || receipts === undefined) throw new Error(`the log index names block ${number}`);
    for (const found of iterateLogs(block, receipts)) {
      if (!matches(found.log)) continue;
      if (logs.length === limit) return { logs, more: true };
      logs.push(found);
      bytes += found.log.data.length;
    }
  }
  return { logs, more: false };
}

/** All logs of a block with their places. */
export function* iterateLogs(block: StoredBlock, receipts: readonly StoredReceipt[]): Generator<FoundLog> {
  let logIndex = 0;
  for (const [transactionIndex, { logs }] of receipts.entries()) {
    for (const log of logs) {
      yield {
        log,
        block: block.header.number,
        blockHash: block.hash,
        timestamp: block.header.timestamp,
        transaction: transactionHash(block, transactionIndex),
        transactionIndex,
        logIndex,
      };
      logIndex += 1;
    }
  }
}

/** Whether a log has one of the addresses, and at each position one of the topics; an empty condition is always met. */
export function matcher({ addresses, topics }: Pick<LogQuery, 'addresses' | 'topics'>): (log: Log) => boolean {
  const wanted = new Set(addresses);
  const choices = topics.map((choice) => new Set(choice));
  return (log) => {
    if (wanted.size > 0 && !wanted.has(log.address)) return false;
    if (choices.length > log.topics.length) return false;
    return choices.every((choice, at) => choice.size === 0 || choice.has(log.topics[at] ?? NO_TOPIC));
  };
}

const NO_TOPIC: Hash = '0x';

function transactionHash({ transactions }: StoredBlock, index: number): Hash {
  const transaction = transactions[index];
  if (transaction === undefined) throw new Error('a receipt without its transaction');
  return transaction.hash;
}
