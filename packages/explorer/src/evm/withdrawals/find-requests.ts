import type { RollupId } from '@switchyard/protocol';
import { schema } from '@switchyard/service/api';
import { number, text } from '../../http/cells.ts';
import { readIn } from '../../store/read-in.ts';
import type { IndexStore, Row } from '../../store/store.ts';
import { checksummed } from '../address.ts';
import * as form from '../http/schemas.ts';
import { evmKey } from '../schema.ts';

export const requestSchema = schema.object(
  {
    transaction: form.hash('Of the transaction on the EVM rollup'),
    block: schema.integer('Number of its block'),
    contract: form.address('The contract that emitted the event'),
    sender: form.address('Who withdrew'),
    amount: form.amount('Wei, or the smallest unit of a token'),
  },
  { name: 'WithdrawalRequest' },
);

export type WithdrawalRequest = schema.TypeOf<typeof requestSchema>;

/**
 * The events of EVM rollups that withdrawals name. One counts where it is of the rollup whose bridge account has paid.
 *
 * @param rows With `rollup` and `event`.
 */
export async function findRequests(
  { store }: { readonly store: Pick<IndexStore, 'read'> },
  rows: readonly Row[],
): Promise<(row: Row) => WithdrawalRequest | undefined> {
  const sql = 'SELECT * FROM evm_withdrawals WHERE event';
  const found = await readIn(store, sql, [], new Set(rows.map(({ event }) => text(event))));
  const events = new Map(found.map((each) => [`${text(each.rollup)} ${text(each.event)}`, each]));
  return ({ rollup, event }) => {
    if (rollup === null) return undefined;
    const request = events.get(`${evmKey(text(rollup) as RollupId)} ${text(event)}`);
    return request === undefined ? undefined : requestJson(request);
  };
}

export const requestJson = (row: Row): WithdrawalRequest => ({
  transaction: text(row.event).split('.')[0] ?? '',
  block: number(row.number),
  contract: checksummed(text(row.contract)),
  sender: checksummed(text(row.sender)),
  amount: text(row.amount),
});
