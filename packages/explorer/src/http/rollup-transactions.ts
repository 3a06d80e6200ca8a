import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { ApiContext } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { rollupErrors, rollupOf, TAG } from './rollups.ts';
import { hashParameter, rollupParameter } from './schemas.ts';
import { findSubmissions, SUBMISSION_COLUMNS, SUBMISSIONS, submissionJson, submissionSchema } from './submissions.ts';

/** Transactions of rollups: what users' bytes became. */
export function rollupTransactionRoutes(context: ApiContext): readonly AnyRoute[] {
  const list = listRoute(context.store, {
    url: '/v1/rollups/{rollup}/transactions',
    id: 'listRollupTransactions',
    tag: TAG,
    summary: 'Transactions of a rollup, newest first',
    path: { rollup: rollupParameter },
    name: 'SubmissionPage',
    item: submissionSchema,
    by: { 's.height': 'number', 's.position': 'number' },
    errors: rollupErrors,
    sql: (page, { rollup }) => ({
      sql: `SELECT ${SUBMISSION_COLUMNS} FROM ${SUBMISSIONS} WHERE s.rollup = ? AND ${page.sql} ${page.order}`,
      params: [rollupOf(context, rollup), ...page.params],
    }),
    show: (rows) => rows.map((row) => submissionJson(context, row)),
  });
  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/transactions/{hash}',
    id: 'getRollupTransaction',
    tag: TAG,
    summary: 'One transaction of a rollup, in each place where its bytes are, oldest first',
    path: { rollup: rollupParameter, hash: hashParameter },
    answers: { 200: schema.object({ items: schema.list(submissionSchema) }, { name: 'Submissions' }) },
    errors: { 404: 'No such transaction in the index', 503: 'The index does not answer' },
    async handle({ path: { rollup, hash } }) {
      const id = rollupOf(context, rollup);
      const items = (await findSubmissions(context, hash)).filter((each) => each.rollup === id);
      if (items.length === 0) throw notFound(`no transaction ${hash} of this rollup in the index`);
      return { status: 200, body: { items } };
    },
  });
  return [list, one];
}
