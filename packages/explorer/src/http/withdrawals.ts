import { type AnyRoute, schema } from '@switchyard/service/api';
import { findRequests, requestSchema } from '../evm/withdrawals/find-requests.ts';
import type { Row } from '../store/store.ts';
import { TAG as SEQUENCER } from './blocks.ts';
import { number, text, textOrNull, timeOrNull } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { inEither } from './keyset.ts';
import { listRoute } from './list-route.ts';
import { rollupErrors, rollupOf, TAG } from './rollups.ts';
import * as form from './schemas.ts';

const withdrawalSchema = schema.object(
  {
    rollup: schema.nullable(
      form.hash('Id of the rollup; null for a bridge account of the genesis until its first deposit'),
    ),
    name: form.rollupName,
    height: schema.integer('Of the sequencer block'),
    position: schema.integer('Among the withdrawals of the block'),
    time: schema.nullable(form.time),
    transaction: form.hash('Of the sequencer transaction'),
    action: schema.integer('Position of the action in it'),
    kind: schema.words('Whether it was paid to an account or to another bridge', 'bridgeUnlock', 'bridgeTransfer'),
    bridge: schema.nullable(form.account('The bridge account that paid')),
    recipient: schema.nullable(form.account('Who was paid')),
    asset: schema.nullable(schema.text('As the sequencer names it')),
    amount: schema.text('In the smallest unit, decimal digits', { pattern: '^[0-9]{1,39}$' }),
    memo: schema.nullable(schema.text('As it was given')),
    destination: schema.nullable(schema.text('Who is credited on the other rollup')),
    rollupBlock: schema.text('Number of the block of the rollup, as it was given', { pattern: '^[0-9]{1,20}$' }),
    event: schema.text('What the rollup knows it by, as it was given'),
    request: schema.nullable(requestSchema),
  },
  { name: 'Withdrawal' },
);

const SELECT = `SELECT w.*, b.time, a.rollup, a.asset FROM withdrawals w JOIN blocks b ON b.height = w.height
  LEFT JOIN bridges a ON a.account = w.bridge`;

/** What bridge accounts paid for their rollups. */
export function withdrawalRoutes(context: ApiContext): readonly AnyRoute[] {
  const list = {
    name: 'WithdrawalPage',
    item: withdrawalSchema,
    by: { 'w.height': 'number', 'w.position': 'number' },
    show: (rows: readonly Row[]) => withdrawalsJson(context, rows),
  } as const;
  const ofRollup = listRoute(context.store, {
    ...list,
    url: '/v1/rollups/{rollup}/withdrawals',
    id: 'listRollupWithdrawals',
    tag: TAG,
    summary: 'Withdrawals from a rollup that its bridge accounts paid, newest first',
    path: { rollup: form.rollupParameter },
    errors: rollupErrors,
    sql: (page, { rollup }) => ({
      sql: `${SELECT} WHERE w.bridge IN (SELECT account FROM bridges WHERE rollup = ?) AND ${page.sql} ${page.order}`,
      params: [rollupOf(context, rollup), ...page.params],
    }),
  });
  const ofAccount = listRoute(context.store, {
    ...list,
    url: '/v1/accounts/{address}/withdrawals',
    id: 'listAccountWithdrawals',
    tag: SEQUENCER,
    summary: 'Withdrawals that an account got or, as a bridge account, paid, newest first',
    path: { address: form.accountParameter },
    sql: (page, { address }) => inEither(SELECT, ['w.bridge', 'w.recipient'], address, page),
  });
  return [ofRollup, ofAccount];
}

async function withdrawalsJson(
  context: ApiContext,
  rows: readonly Row[],
): Promise<schema.TypeOf<typeof withdrawalSchema>[]> {
  const request = await findRequests(context, rows);
  return rows.map((row) => ({
    rollup: textOrNull(row.rollup),
    name: rollupName(context, text(row.rollup)),
    height: number(row.height),
    position: number(row.position),
    time: timeOrNull(row.time),
    transaction: text(row.transaction_hash),
    action: number(row.action),
    kind: row.kind === 'bridgeTransfer' ? ('bridgeTransfer' as const) : ('bridgeUnlock' as const),
    bridge: context.address(row.bridge),
    recipient: context.address(row.recipient),
    asset: textOrNull(row.asset),
    amount: text(row.amount),
    memo: textOrNull(row.memo),
    destination: textOrNull(row.destination),
    rollupBlock: text(row.rollup_block),
    event: text(row.event),
    request: request(row) ?? null,
  }));
}
