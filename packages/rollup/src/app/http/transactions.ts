import { Rejected } from '@switchyard/protocol';
import { HttpError, httpErrorOf } from '@switchyard/service';
import type { Hono } from 'hono';
import type { RollupAction } from '../definition.ts';
import { type Intake, type Submitted, Unavailable } from '../intake.ts';
import type { RollupNode } from '../node.ts';
import type { OutcomeQueries } from '../outcome-queries.ts';
import { decodeBatch } from './batch-body.ts';
import { bodyBytes, hashParameter, integerQuery, json, wordQuery } from './parameters.ts';

export interface TransactionRoutes<A extends RollupAction, E> {
  readonly intake: Intake<A, E>;
  readonly outcomes: OutcomeQueries<A, E>;
  readonly node: Pick<RollupNode<E>, 'view'>;
  /** Longest wait for the composer's answer; after it the outcome is unknown. */
  readonly answerWithinMs: number;
}

const MAX_WAIT_MS = 60_000;

/** Submitting transactions, and asking what became of them. */
export function transactionRoutes<A extends RollupAction, E>(app: Hono, routes: TransactionRoutes<A, E>): void {
  const { intake, outcomes, node, answerWithinMs } = routes;

  app.post('/submit_transaction', async (c) => {
    const bytes = await bodyBytes(c);
    const hash = await within(answerWithinMs, intake.submit(bytes));
    return json(`transaction ${hash} submitted to sequencer`);
  });

  app.post('/v1/transactions', async (c) => {
    const bytes = await bodyBytes(c);
    return json({ hash: await within(answerWithinMs, intake.submit(bytes)) }, 202);
  });

  app.post('/v1/transactions:batch', async (c) => {
    const items = decodeBatch(await bodyBytes(c));
    const results = await within(answerWithinMs, intake.submitAll(items));
    const refused = results.flatMap((result, index) =>
      'error' in result ? [{ index, ...refusal(result.error) }] : [],
    );
    // Nothing but "not now" for every one of them is an answer about the node, not about the transactions.
    const [first] = results;
    if (first !== undefined && 'error' in first && results.every(isUnavailable)) throw toHttp(first.error);
    const hashes = results.map((result) => ('error' in result ? null : result.hash));
    return json({
      accepted: results.length - refused.length,
      ...(c.req.query('hashes') === '1' ? { hashes } : {}),
      refused,
    });
  });

  app.get('/v1/transactions/:hash', async (c) => {
    const hash = hashParameter(c.req.param('hash'));
    const until = wordQuery(c, 'wait', ['executed', 'firm']);
    const timeoutMs = integerQuery(c, 'timeoutMs', { min: 0, max: MAX_WAIT_MS, fallback: 30_000 });
    const { signal: gone } = c.req.raw;
    const outcome =
      until === undefined ? await outcomes.find(hash, gone) : await outcomes.wait(hash, { until, timeoutMs }, gone);
    if (outcome === undefined) {
      const { lowest } = node.view;
      const kept = lowest > 1n ? `; blocks below ${lowest} are not kept` : '';
      throw new HttpError(404, 'not-found', `no transaction ${hash} is known here${kept}`);
    }
    return json(outcome);
  });
}

/** The composer may keep a submitter waiting for longer than a client would. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new Unavailable('outcome-unknown', 'the composer does not answer; sending the same bytes again is safe'),
        ),
      ms,
    );
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw toHttp(error);
  } finally {
    clearTimeout(timer);
  }
}

function isUnavailable(result: Submitted): boolean {
  return 'error' in result && result.error instanceof Unavailable;
}

function refusal(error: unknown): { readonly code: string; readonly reason: string } {
  const { code, message } = httpErrorOf(toHttp(error));
  return { code, reason: message };
}

function toHttp(error: unknown): unknown {
  if (error instanceof Unavailable) return new HttpError(503, error.code, error.message);
  if (error instanceof Rejected && error.reason === 'insufficient-balance') {
    return new HttpError(422, error.reason, error.message, error.facts);
  }
  return error;
}
