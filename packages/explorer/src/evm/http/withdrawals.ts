import type { AnyRoute } from '@switchyard/service/api';
import { evm, evmWithdrawal, withdrawalPaid } from '../../contract/evm.ts';
import { text } from '../../http/cells.ts';
import { listRoute } from '../../http/list-route.ts';
import { type ComputedOf, view } from '../../http/view.ts';
import { readIn } from '../../store/read-in.ts';
import type { Row } from '../../store/store.ts';
import { getTransaction } from '../withdrawals/find-requests.ts';
import { type EvmContext, evmRollup } from './context.ts';

const WITHDRAWALS = view(
  evmWithdrawal,
  'evm_withdrawals x JOIN evm_blocks e ON e.rollup = x.rollup AND e.number = x.number',
  { block: 'x.number', logIndex: 'x.log', time: 'e.time', event: 'x.event' },
);
const PAID = view(withdrawalPaid, 'withdrawals w JOIN bridges a ON a.account = w.bridge', {
  ...{ transaction: 'w.transaction_hash', asset: 'a.asset', event: 'w.event' },
});

/** Withdrawals that contracts ask for, and the payment for each. Any contract can emit such an event; a bridge need not pay for it. */
export function evmWithdrawalRoutes(context: EvmContext): readonly AnyRoute[] {
  const list = {
    view: WITHDRAWALS,
    by: { 'x.number': 'number', 'x.log': 'number' },
    compute: (rows: readonly Row[], { rollup }: { readonly rollup: string }) => getPayments(context, rollup, rows),
  } as const;
  return [
    listRoute(context, evm.listEvmWithdrawals, {
      ...list,
      where: ({ rollup }) => ['x.rollup = ?', evmRollup(context, rollup).key],
    }),
    listRoute(context, evm.listEvmAddressWithdrawals, {
      ...list,
      where: ({ rollup, address }) => ['x.rollup = ? AND x.sender = ?', evmRollup(context, rollup).key, address],
    }),
  ];
}

async function getPayments(
  context: EvmContext,
  rollup: string,
  rows: readonly Row[],
): Promise<ComputedOf<typeof evmWithdrawal>> {
  // Only bridge accounts of the rollup speak for it.
  const sql = `SELECT ${PAID.select} FROM ${PAID.from} WHERE a.rollup = ? AND w.event`;
  const { id } = evmRollup(context, rollup);
  const found = await readIn(context.store, sql, [id], new Set(rows.map(({ event }) => text(event))));
  const payments = new Map(found.map((row) => [text(row.event), PAID.json(row, {})]));
  return (row) => ({ transaction: getTransaction(row), paid: payments.get(text(row.event)) ?? null });
}
