import type { RollupId } from '@switchyard/protocol';
import { type WithdrawalRequest, withdrawalRequest } from '../../contract/bridging.ts';
import { text } from '../../http/cells.ts';
import { view } from '../../http/view.ts';
import { evmKey } from '../../store/evm-tables.ts';
import { readIn } from '../../store/read-in.ts';
import type { IndexStore, Row } from '../../store/store.ts';

const REQUESTS = view(withdrawalRequest, 'evm_withdrawals x', {
  block: 'x.number',
  event: 'x.event',
  rollup: 'x.rollup',
});

/**
 * The events of EVM rollups that withdrawals name. One counts if it is of the rollup whose bridge account has paid.
 *
 * @param rows With `rollup` and `event`.
 */
export async function findRequests(
  { store }: { readonly store: Pick<IndexStore, 'read'> },
  rows: readonly Row[],
): Promise<(row: Row) => WithdrawalRequest | undefined> {
  const sql = `SELECT ${REQUESTS.select} FROM evm_withdrawals x WHERE x.event`;
  const found = await readIn(store, sql, [], new Set(rows.map(({ event }) => text(event))));
  const events = new Map(found.map((each) => [`${text(each.rollup)} ${text(each.event)}`, each]));
  return ({ rollup, event }) => {
    if (rollup === null) return undefined;
    const request = events.get(`${evmKey(text(rollup) as RollupId)} ${text(event)}`);
    return request === undefined ? undefined : REQUESTS.json(request, { transaction: getTransaction(request) });
  };
}

/** Hash of the transaction of a withdrawal, of which its event has it. */
export const getTransaction = ({ event }: Row): string => text(event).split('.')[0] ?? '';
