import type { AnyRoute } from '@switchyard/service/api';
import { fullTransaction, sequencer, transaction } from '../contract/sequencer.ts';
import { ofAccount } from './account-parameter.ts';
import { answer } from './answer.ts';
import type { ApiContext } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { readRows, view } from './view.ts';

const TABLES = 'transactions t JOIN blocks b ON b.height = t.height';
export const TRANSACTIONS = view(transaction, TABLES, { time: 'b.time' });
const FULL_TRANSACTIONS = view(fullTransaction, TABLES, { time: 'b.time' });

/** The sequencer's transactions. */
export function transactionRoutes(context: ApiContext): readonly AnyRoute[] {
  const all = listRoute(context, sequencer.listTransactions, {
    view: TRANSACTIONS,
    by: { 't.height': 'number', 't.position': 'number' },
  });
  const ofBlock = listRoute(context, sequencer.listBlockTransactions, {
    view: TRANSACTIONS,
    by: { 't.position': 'number' },
    direction: 'ASC',
    where: ({ height }) => ['t.height = ?', height],
  });
  const touching = listRoute(context, ofAccount(sequencer.listAccountTransactions), {
    view: TRANSACTIONS,
    from: `account_transactions a JOIN transactions t ON t.height = a.height AND t.position = a.position
      JOIN blocks b ON b.height = a.height`,
    by: { 'a.height': 'number', 'a.position': 'number' },
    where: ({ address }) => ['a.account = ?', address],
  });
  const one = answer(sequencer.getTransaction, async ({ path: { hash } }) => {
    const [row] = await readRows(context.store, FULL_TRANSACTIONS, 't.hash = ? LIMIT 1', [hash]);
    if (row === undefined) throw notFound(`no sequencer transaction ${hash} in the index`);
    return FULL_TRANSACTIONS.json(row, {}, context);
  });
  return [all, ofBlock, touching, one];
}
