import type { AnyRoute } from '@switchyard/service/api';
import { rollups } from '../contract/rollups.ts';
import { answer } from './answer.ts';
import type { ApiContext } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { getRollup } from './rollups.ts';
import { findSubmissions, SUBMISSIONS, toOutcome } from './submissions.ts';

/** Transactions of rollups: outcomes of users' bytes. */
export function rollupTransactionRoutes(context: ApiContext): readonly AnyRoute[] {
  const all = listRoute(context, rollups.listRollupTransactions, {
    view: SUBMISSIONS,
    by: { 's.height': 'number', 's.position': 'number' },
    where: ({ rollup }) => ['s.rollup = ?', getRollup(context, rollup)],
    compute: () => (row) => toOutcome(context, row),
  });
  const one = answer(rollups.getRollupTransaction, async ({ path: { rollup, hash } }) => {
    const id = getRollup(context, rollup);
    const items = (await findSubmissions(context, hash)).filter((each) => each.rollup === id);
    if (items.length === 0) throw notFound(`no transaction ${hash} of this rollup in the index`);
    return { items };
  });
  return [all, one];
}
