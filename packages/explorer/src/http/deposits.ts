import type { RollupId } from '@switchyard/protocol';
import { type AnyRoute, schema } from '@switchyard/service/api';
import { refusedDeposits } from '../evm/deposit-id.ts';
import type { Row } from '../store/store.ts';
import { TAG as SEQUENCER } from './blocks.ts';
import { number, numberOrNull, text, textOrNull, timeOrNull } from './cells.ts';
import { type ApiContext, isEvm, rollupName } from './context.ts';
import { inEither } from './keyset.ts';
import { listRoute } from './list-route.ts';
import { rollupErrors, rollupOf, TAG } from './rollups.ts';
import * as form from './schemas.ts';

const depositSchema = schema.object(
  {
    rollup: form.hash('Id of the rollup'),
    name: form.rollupName,
    height: schema.integer('Of the sequencer block'),
    position: schema.integer('Among the deposits of the block'),
    time: schema.nullable(form.time),
    transaction: form.hash('Of the sequencer transaction'),
    action: schema.integer('Position of the action in it'),
    sender: schema.nullable(form.account('Who signed the transaction')),
    bridge: schema.nullable(form.account('The bridge account that holds the funds')),
    asset: schema.text('As the sequencer names it'),
    amount: schema.text('In the smallest unit, decimal digits', { pattern: '^[0-9]{1,39}$' }),
    destination: schema.text('What was given as the receiver, whatever it is'),
    block: schema.nullable(schema.integer('Number of the rollup block made from that of the sequencer')),
    state: schema.words('The funds of a refused one stay locked on the sequencer', 'sequenced', 'credited', 'refused'),
    reason: schema.nullable(schema.text('Why it was refused')),
  },
  { name: 'Deposit' },
);

const SELECT = `SELECT d.*, b.time, r.number, k.reason FROM deposits d JOIN blocks b ON b.height = d.height
  LEFT JOIN rollup_blocks r ON r.rollup = d.rollup AND r.sequencer_hash = b.hash
  LEFT JOIN skipped_deposits k ON k.transaction_hash = d.transaction_hash AND k.rollup = d.rollup AND k.action = d.action`;

/** Deposits as the sequencer has them, and what became of each. */
export function depositRoutes(context: ApiContext): readonly AnyRoute[] {
  const list = {
    name: 'DepositPage',
    item: depositSchema,
    by: { 'd.height': 'number', 'd.position': 'number' },
    show: (rows: readonly Row[]) => depositsJson(context, rows),
  } as const;
  const ofRollup = listRoute(context.store, {
    ...list,
    url: '/v1/rollups/{rollup}/deposits',
    id: 'listRollupDeposits',
    tag: TAG,
    summary: 'Deposits to a rollup, newest first',
    path: { rollup: form.rollupParameter },
    errors: rollupErrors,
    sql: (page, { rollup }) => ({
      sql: `${SELECT} WHERE d.rollup = ? AND ${page.sql} ${page.order}`,
      params: [rollupOf(context, rollup), ...page.params],
    }),
  });
  const ofAccount = listRoute(context.store, {
    ...list,
    url: '/v1/accounts/{address}/deposits',
    id: 'listAccountDeposits',
    tag: SEQUENCER,
    summary: 'Deposits that an account made or, as a bridge account, took, newest first',
    path: { address: form.accountParameter },
    sql: (page, { address }) => inEither(SELECT, ['d.bridge', 'd.sender'], address, page),
  });
  return [ofRollup, ofAccount];
}

async function depositsJson(context: ApiContext, rows: readonly Row[]) {
  const refused = await refusedByEvm(context, rows);
  return rows.map((row) => depositJson(context, row, textOrNull(row.reason) ?? refused(row) ?? null));
}

/** EVM nodes know deposits by other names. */
async function refusedByEvm(context: ApiContext, rows: readonly Row[]): Promise<(row: Row) => string | undefined> {
  const rollups = [...new Set(rows.map(({ rollup }) => text(rollup)))].filter((id) => isEvm(context, id));
  const found = await Promise.all(
    rollups.map(async (id) => {
      const own = rows.filter(({ rollup }) => rollup === id);
      return [id, await refusedDeposits(context.store, id as RollupId, own)] as const;
    }),
  );
  const reasons = new Map(found);
  return (row) => reasons.get(text(row.rollup))?.(row);
}

function depositJson(context: ApiContext, row: Row, reason: string | null): schema.TypeOf<typeof depositSchema> {
  return {
    rollup: text(row.rollup),
    name: rollupName(context, text(row.rollup)),
    height: number(row.height),
    position: number(row.position),
    time: timeOrNull(row.time),
    transaction: text(row.transaction_hash),
    action: number(row.action),
    sender: context.address(row.sender),
    bridge: context.address(row.bridge),
    asset: text(row.asset),
    amount: text(row.amount),
    destination: text(row.destination),
    block: numberOrNull(row.number),
    state: row.number === null ? 'sequenced' : reason === null ? 'credited' : 'refused',
    reason,
  };
}
