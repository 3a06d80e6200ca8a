import type { AnyRoute } from '@switchyard/service/api';
import { explorer } from '../contract/explorer.ts';
import type { Submission } from '../contract/rollups.ts';
import { answer } from './answer.ts';
import { TRANSACTIONS } from './blocks.ts';
import { timeOrNull } from './cells.ts';
import type { ApiContext } from './context.ts';
import { notFound } from './problems.ts';
import { findSubmissions } from './submissions.ts';
import { readRows } from './view.ts';

/** The way of a transaction through all processes. */
export function traceRoute(context: ApiContext): AnyRoute {
  const { store, layer } = context;
  return answer(explorer.getTrace, async ({ path: { hash } }) => {
    const [transaction] = await readRows(store, TRANSACTIONS, 't.hash = ? LIMIT 1', [hash]);
    const submissions = await findSubmissions(context, hash);
    const places = await layer.of(submissions.map(({ sequencer }) => sequencer.height));
    const waiting = submissions.length === 0 ? await waitingAt(context, hash) : [];
    if (transaction === undefined && submissions.length + waiting.length === 0) {
      throw notFound(`no transaction ${hash} in the index, and no rollup that is followed knows it`);
    }
    return {
      hash,
      transaction: transaction === undefined ? null : TRANSACTIONS.json(transaction, {}, context),
      submissions: await Promise.all(
        submissions.map(async (each) => ({
          ...(await withAcceptance(context, each)),
          layer: places.get(each.sequencer.height) ?? null,
        })),
      ),
      waiting,
    };
  });
}

async function withAcceptance({ composer }: ApiContext, submission: Submission) {
  const times = await composer.of(submission.rollup, submission.hash);
  const accepted =
    times === undefined ? null : { at: timeOrNull(times.queuedAt), bundledAt: timeOrNull(times.bundledAt) };
  return { ...submission, accepted };
}

/** Outcomes that rollups report for a transaction that is in no block yet. */
async function waitingAt({ rollups, signal }: ApiContext, hash: string) {
  const wanted = rollups.map(async (rollup) => {
    const { head } = rollup.state();
    if (head === undefined) return [];
    try {
      const outcome = await rollup.node.get(`/v1/transactions/${hash}`, signal);
      return [{ rollup: head.id, name: head.name, outcome }];
    } catch {
      // It does not know it, or does not answer; either way there is nothing to show of it.
      return [];
    }
  });
  return (await Promise.all(wanted)).flat();
}
