import { insertRecords } from '../../store/statements.ts';
import type { Statement } from '../../store/store.ts';
import type { EvmBlock } from '../evm-block.ts';
import { eventId, withdrawalEvent } from './events.ts';

/** Withdrawals that contracts of an EVM rollup ask for. */
export function withdrawalRows(key: string, blocks: readonly EvmBlock[]): Statement[] {
  const rows = blocks.flatMap(({ number, transactions }) => {
    let next = 0;
    return transactions.flatMap(({ hash, logs }, position) =>
      logs.flatMap((log) => {
        const at = next++;
        const found = withdrawalEvent(log);
        if (found === undefined) return [];
        return { rollup: key, number, log: at, position, contract: log.address, ...found, event: eventId(hash, at) };
      }),
    );
  });
  return insertRecords('evm_withdrawals', rows);
}
