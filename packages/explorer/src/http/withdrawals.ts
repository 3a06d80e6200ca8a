import type { AnyRoute } from '@switchyard/service/api';
import { withdrawal } from '../contract/bridging.ts';
import { rollups } from '../contract/rollups.ts';
import { sequencer } from '../contract/sequencer.ts';
import { findRequests } from '../evm/withdrawals/find-requests.ts';
import type { Row } from '../store/store.ts';
import { ofAccount } from './account-parameter.ts';
import type { ApiContext } from './context.ts';
import { listRoute } from './list-route.ts';
import { getRollup } from './rollups.ts';
import { view } from './view.ts';

const WITHDRAWALS = view(
  withdrawal,
  `withdrawals w JOIN blocks b ON b.height = w.height LEFT JOIN bridges a ON a.account = w.bridge`,
  { rollup: 'a.rollup', name: 'a.rollup', time: 'b.time', transaction: 'w.transaction_hash', asset: 'a.asset' },
);

/** Routes for payments of bridge accounts for their rollups. */
export function withdrawalRoutes(context: ApiContext): readonly AnyRoute[] {
  const list = {
    view: WITHDRAWALS,
    by: { 'w.height': 'number', 'w.position': 'number' },
    async compute(rows: readonly Row[]) {
      const request = await findRequests(context, rows);
      return (row: Row) => ({ request: request(row) ?? null });
    },
  } as const;
  return [
    listRoute(context, rollups.listRollupWithdrawals, {
      ...list,
      where: ({ rollup }) => ['w.bridge IN (SELECT account FROM bridges WHERE rollup = ?)', getRollup(context, rollup)],
    }),
    listRoute(context, ofAccount(sequencer.listAccountWithdrawals), {
      ...list,
      where: ({ address }) => [
        ['w.bridge = ?', address],
        ['w.recipient = ?', address],
      ],
    }),
  ];
}
