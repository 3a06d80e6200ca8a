import { type AnyRoute, schema } from '@switchyard/service/api';
import { number, text, time } from '../../http/cells.ts';
import { hash } from '../../http/schemas.ts';
import { readIn } from '../../store/read-in.ts';
import type { IndexStore, Row } from '../../store/store.ts';
import { checksummed } from '../address.ts';
import { requestJson } from '../withdrawals/find-requests.ts';
import type { EvmContext, EvmRollup } from './context.ts';
import { listRoute } from './list-route.ts';
import * as form from './schemas.ts';

const requestedSchema = schema.object(
  {
    block: schema.integer('Number of its block'),
    logIndex: schema.integer('Of its log among those of the block'),
    time: form.time,
    transaction: form.hash('Of its transaction'),
    contract: form.address('The contract that emitted it'),
    sender: form.address('Who withdraws'),
    kind: schema.words('To an account of the sequencer, or over IBC', 'sequencer', 'ics20'),
    amount: form.amount('Wei, or the smallest unit of a token'),
    destination: schema.text('Who is to be paid, as it was given'),
    paid: schema.nullable(
      schema.object(
        {
          transaction: hash('Of the sequencer transaction'),
          height: schema.integer('Of its block'),
          amount: schema.text('In the smallest unit of the asset', { pattern: '^[0-9]{1,39}$' }),
          asset: schema.text('As the sequencer names it'),
        },
        { name: 'EvmWithdrawalPaid' },
      ),
    ),
  },
  { name: 'EvmWithdrawal' },
);

const SELECT = `SELECT x.*, e.time FROM evm_withdrawals x
  JOIN evm_blocks e ON e.rollup = x.rollup AND e.number = x.number`;

/** Withdrawals that contracts ask for, and what was paid for each. Any contract can emit such an event; a bridge need not pay for it. */
export function evmWithdrawalRoutes(context: EvmContext): readonly AnyRoute[] {
  const list = {
    name: 'EvmWithdrawalPage',
    item: requestedSchema,
    by: { 'x.number': 'number', 'x.log': 'number' },
    show: (rows: readonly Row[], rollup: EvmRollup) => withdrawalsJson(context, rollup, rows),
  } as const;
  const all = listRoute(context, {
    ...list,
    url: '/withdrawals',
    id: 'listEvmWithdrawals',
    summary: 'Withdrawals that contracts report, newest first, with what a bridge account paid',
    sql: ({ key }, page) => ({
      sql: `${SELECT} WHERE x.rollup = ? AND ${page.sql} ${page.order}`,
      params: [key, ...page.params],
    }),
  });
  const ofAddress = listRoute(context, {
    ...list,
    url: '/addresses/{address}/withdrawals',
    id: 'listEvmAddressWithdrawals',
    summary: 'Withdrawals of an address, newest first',
    path: { address: form.addressParameter },
    sql: ({ key }, page, { address }) => ({
      sql: `${SELECT} WHERE x.rollup = ? AND x.sender = ? AND ${page.sql} ${page.order}`,
      params: [key, address, ...page.params],
    }),
  });
  return [all, ofAddress];
}

async function withdrawalsJson(
  { store }: { readonly store: Pick<IndexStore, 'read'> },
  { id }: EvmRollup,
  rows: readonly Row[],
): Promise<schema.TypeOf<typeof requestedSchema>[]> {
  // Only bridge accounts of the rollup speak for it.
  const sql = `SELECT w.event, w.transaction_hash, w.height, w.amount, a.asset FROM withdrawals w
    JOIN bridges a ON a.account = w.bridge WHERE a.rollup = ? AND w.event`;
  const found = await readIn(store, sql, [id], new Set(rows.map(({ event }) => text(event))));
  const paid = new Map(found.map((each) => [text(each.event), each]));
  return rows.map((row) => {
    const payment = paid.get(text(row.event));
    return {
      ...requestJson(row),
      logIndex: number(row.log),
      time: time(row.time),
      contract: checksummed(text(row.contract)),
      kind: row.kind === 'ics20' ? ('ics20' as const) : ('sequencer' as const),
      destination: text(row.destination),
      paid:
        payment === undefined
          ? null
          : {
              transaction: text(payment.transaction_hash),
              height: number(payment.height),
              amount: text(payment.amount),
              asset: text(payment.asset),
            },
    };
  });
}
