import { insert } from '../../store/statements.ts';
import type { Statement, Value } from '../../store/store.ts';
import type { EvmBlock } from '../evm-block.ts';
import { eventId, withdrawalEvent } from './events.ts';

const COLUMNS = ['rollup', 'number', 'log', 'position', 'contract', 'sender', 'kind', 'amount', 'destination', 'event'];

/** Withdrawals that contracts of an EVM rollup ask for. */
export function withdrawalRows(key: string, blocks: readonly EvmBlock[]): Statement[] {
  const rows = blocks.flatMap(({ number, transactions }) => {
    let next = 0;
    return transactions.flatMap(({ hash, logs }, position) =>
      logs.flatMap((log): Value[][] => {
        const at = next++;
        const event = withdrawalEvent(log);
        if (event === undefined) return [];
        const { sender, kind, amount, destination } = event;
        return [[key, number, at, position, log.address, sender, kind, String(amount), destination, eventId(hash, at)]];
      }),
    );
  });
  return insert('evm_withdrawals', COLUMNS, rows);
}
