import { insertRecords } from '../../store/statements.ts';
import type { Statement } from '../../store/store.ts';
import type { EvmBlock } from '../evm-block.ts';

/** Hex digits of the data of a log that are kept; the node has the rest. */
export const MAX_LOG_DATA = 16_384;

/** Logs, with their positions in the block. */
export function logRows(key: string, blocks: readonly EvmBlock[]): Statement[] {
  const rows = blocks.flatMap(({ number, transactions }) => {
    let next = 0;
    return transactions.flatMap(({ logs }, position) =>
      logs.map(({ address, topics: [topic0, topic1, topic2, topic3], data }) => ({
        ...{ rollup: key, number, log: next++, position, address, topic0, topic1, topic2, topic3 },
        ...{ data: data.slice(0, MAX_LOG_DATA), dataSize: data.length / 2 },
      })),
    );
  });
  return insertRecords('evm_logs', rows);
}
