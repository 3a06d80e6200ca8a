import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { timeOrNull } from './cells.ts';
import type { ApiContext } from './context.ts';
import { layerSchema } from './layer-places.ts';
import { notFound } from './problems.ts';
import * as form from './schemas.ts';
import { TRANSACTION_COLUMNS, TRANSACTIONS, transactionJson, transactionSchema } from './shown.ts';
import { findSubmissions, type SubmissionJson, submissionMembers } from './submissions.ts';

const traceSchema = schema.object(
  {
    hash: form.hash('Of the transaction'),
    transaction: schema.nullable(transactionSchema),
    submissions: schema.list(
      schema.object(
        {
          ...submissionMembers,
          accepted: schema.nullable(
            schema.object({ at: schema.nullable(form.time), bundledAt: schema.nullable(form.time) }),
          ),
          layer: layerSchema,
        },
        { name: 'TracedSubmission' },
      ),
    ),
    waiting: schema.list(
      schema.object(
        {
          rollup: form.hash('Id of a rollup that knows it'),
          name: schema.text('Of that rollup'),
          outcome: schema.json('What its node answers'),
        },
        { name: 'Waiting' },
      ),
    ),
  },
  { name: 'Trace' },
);

/** The way of a transaction through all processes. */
export function traceRoute(context: ApiContext): AnyRoute {
  const { store, address } = context;
  return route({
    method: 'get',
    url: '/v1/trace/{hash}',
    id: 'getTrace',
    tag: 'Explorer',
    summary: 'One transaction, of the sequencer or of a rollup: accepted, bundled, sequenced, posted, executed',
    description:
      'Those that a composer accepted long ago, or under load, have no times of acceptance. A layer height is there where a relayer is asked, and has posted the block',
    path: { hash: form.hashParameter },
    answers: { 200: traceSchema },
    errors: { 404: 'Neither the index nor a rollup that is followed has it', 503: 'The index does not answer' },
    async handle({ path: { hash } }) {
      const [transaction] = await store.read(
        `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE t.hash = ? LIMIT 1`,
        [hash],
      );
      const submissions = await findSubmissions(context, hash);
      const places = await context.layer.of(submissions.map(({ sequencer }) => sequencer.height));
      const waiting = submissions.length === 0 ? await waitingAt(context, hash) : [];
      if (transaction === undefined && submissions.length + waiting.length === 0) {
        throw notFound(`no transaction ${hash} in the index, and no rollup that is followed knows it`);
      }
      const body = {
        hash,
        transaction: transaction === undefined ? null : transactionJson(transaction, address),
        submissions: await Promise.all(
          submissions.map(async (each) => ({
            ...(await withAcceptance(context, each)),
            layer: places.get(each.sequencer.height) ?? null,
          })),
        ),
        waiting,
      };
      return { status: 200, body };
    },
  });
}

async function withAcceptance({ composer }: ApiContext, submission: SubmissionJson) {
  const times = await composer.of(submission.rollup, submission.hash);
  const accepted =
    times === undefined ? null : { at: timeOrNull(times.queuedAt), bundledAt: timeOrNull(times.bundledAt) };
  return { ...submission, accepted };
}

/** What rollups know of a transaction that is in no block yet. */
async function waitingAt({ rollups, signal }: ApiContext, hash: string) {
  const asked = rollups.map(async (rollup) => {
    const { head } = rollup.state();
    if (head === undefined) return [];
    try {
      const outcome = await rollup.get(`/v1/transactions/${hash}`, signal);
      return [{ rollup: head.id, name: head.name, outcome }];
    } catch {
      // It does not know it, or does not answer; either way there is nothing to show of it.
      return [];
    }
  });
  return (await Promise.all(asked)).flat();
}
