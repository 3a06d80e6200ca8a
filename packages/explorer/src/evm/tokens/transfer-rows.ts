import { insert } from '../../store/statements.ts';
import type { Statement, Value } from '../../store/store.ts';
import type { EvmBlock } from '../evm-block.ts';

const COLUMNS = [
  ...['rollup', 'number', 'log', 'item', 'position', 'token', 'kind', 'sender', 'recipient', 'token_id', 'amount'],
];

/** Token transfers, as logs report them. */
export function transferRows(key: string, blocks: readonly EvmBlock[]): Statement[] {
  const rows = blocks.flatMap(({ number, transactions }) => {
    let firstLog = 0;
    return transactions.flatMap(({ logs, transfers }, position) => {
      const first = firstLog;
      firstLog += logs.length;
      return transfers.map(({ log, item, token, kind, from, to, id, amount }): Value[] => [
        ...[key, number, first + log, item, position, token, kind, from, to],
        ...[id === undefined ? null : String(id), String(amount)],
      ]);
    });
  });
  return insert('evm_transfers', COLUMNS, rows);
}
