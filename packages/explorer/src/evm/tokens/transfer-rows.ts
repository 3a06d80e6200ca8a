import { insertRecords } from '../../store/statements.ts';
import type { Statement } from '../../store/store.ts';
import type { EvmBlock } from '../evm-block.ts';

/** Token transfers, as logs report them. */
export function transferRows(key: string, blocks: readonly EvmBlock[]): Statement[] {
  const rows = blocks.flatMap(({ number, transactions }) => {
    let firstLog = 0;
    return transactions.flatMap(({ logs, transfers }, position) => {
      const first = firstLog;
      firstLog += logs.length;
      return transfers.map(({ log, from: sender, to: recipient, id: tokenId, ...each }) => {
        return { rollup: key, number, log: first + log, position, ...each, sender, recipient, tokenId };
      });
    });
  });
  return insertRecords('evm_transfers', rows);
}
