import { accepted, batchResult as batchRecord, outcome } from '@switchyard/client/rollup-contract';
import { Rejected, type TxHash } from '@switchyard/protocol';
import { clientOf, HttpError, systemClock, toHttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { Hono } from 'hono';
import { type Intake, type Submitted, Unavailable } from '../intake.ts';
import type { RollupNode } from '../node.ts';
import type { OutcomeQueries } from '../outcome-queries.ts';
import { OwnRefusal } from '../own-refusal.ts';
import { bodyBytes, json } from './parameters.ts';
import type { RefusalAllowance } from './refusal-allowance.ts';
import { hashParameter } from './schemas.ts';
import { BATCH, SUBMISSION } from './submission.ts';

export interface TransactionRoutes {
  readonly intake: Intake;
  readonly outcomes: OutcomeQueries;
  readonly node: Pick<RollupNode, 'view'>;
  /** Longest wait for the composer's answer; after it the outcome is unknown. */
  readonly answerWithinMs: number;
  readonly refusals: RefusalAllowance;
}

/** Each takes signed transactions, or changes nothing: pages of every origin that may read may send it. */
export const PUBLIC_POSTS = [
  '/submit_transaction',
  '/v1/transactions',
  '/v1/transactions:batch',
  '/v1/transactions:decode',
];

const MAX_WAIT_MS = 60_000;
const TAG = 'Transactions';

const SUBMIT_ERRORS = {
  403: 'The chain id, the host or the origin is not allowed',
  409: 'The nonce does not fit, or its last block is over',
  422: 'The signer cannot pay for it',
  503: 'Nothing was accepted, or it is not known: the same bytes may be sent again',
};

/** Submits to the composer, as the original messenger answers it. */
export function legacySubmission(app: Hono, routes: TransactionRoutes): void {
  app.post('/submit_transaction', async (c) => {
    const submitted = await submitOne(routes, clientOf(c.env), await bodyBytes(c));
    return json(`transaction ${submitted} submitted to sequencer`);
  });
}

/** Submitting transactions, and querying their outcomes. */
export function transactionRoutes(routes: TransactionRoutes): readonly AnyRoute[] {
  return [submitRoute(routes), batchRoute(routes), outcomeRoute(routes)];
}

async function submitOne(
  { intake, answerWithinMs, refusals }: TransactionRoutes,
  client: string,
  bytes: Uint8Array,
): Promise<TxHash> {
  await refusals.check(client);
  const submitted = intake.submit(bytes).catch((error: unknown) => {
    refusals.charge(client, [error]);
    throw error;
  });
  return withTimeout(answerWithinMs, submitted);
}

async function submitMany(
  { intake, answerWithinMs, refusals }: TransactionRoutes,
  client: string,
  items: readonly Uint8Array[],
): Promise<readonly Submitted[]> {
  await refusals.check(client);
  const results = await withTimeout(answerWithinMs, intake.submitAll(items));
  refusals.charge(
    client,
    results.flatMap((result) => ('error' in result ? [result.error] : [])),
  );
  return results;
}

function submitRoute(routes: TransactionRoutes): AnyRoute {
  return route({
    method: 'post',
    url: '/v1/transactions',
    id: 'submit',
    tag: TAG,
    summary: 'Submits signed transactions; accepted ones will be in a block',
    body: SUBMISSION,
    answers: { 202: schema.oneOf(accepted, batchRecord) },
    errors: SUBMIT_ERRORS,
    async handle({ body, client }) {
      const submitted =
        body.kind === 'one'
          ? { hash: await submitOne(routes, client, body.bytes) }
          : batchResult(await submitMany(routes, client, body.items), true);
      return { status: 202, body: submitted };
    },
  });
}

function batchRoute(routes: TransactionRoutes): AnyRoute {
  return route({
    method: 'post',
    url: '/v1/transactions:batch',
    id: 'submitBatch',
    tag: TAG,
    summary: 'Submits up to 4,096 signed transactions; all that are not refused are accepted',
    query: { hashes: schema.optional(schema.text('`1`: answer the hashes of accepted ones too')) },
    body: BATCH,
    answers: { 200: batchRecord },
    errors: SUBMIT_ERRORS,
    async handle({ query, body, client }) {
      const results = await submitMany(routes, client, body);
      return { status: 200, body: batchResult(results, query.hashes === '1') };
    },
  });
}

function batchResult(results: readonly Submitted[], withHashes: boolean) {
  const refused = results.flatMap((result, index) => ('error' in result ? [{ index, ...refusal(result.error) }] : []));
  // Nothing but "not now" for every one of them is an answer about the node, not about the transactions.
  const [first] = results;
  if (first !== undefined && 'error' in first && results.every(isUnavailable)) throw toHttp(first.error);
  const hashes = results.map((result) => ('error' in result ? null : result.hash));
  return { accepted: results.length - refused.length, ...(withHashes ? { hashes } : {}), refused };
}

function outcomeRoute({ outcomes, node }: TransactionRoutes): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/transactions/{hash}',
    id: 'getTransaction',
    tag: TAG,
    summary: 'Outcome of a transaction, at once or when it is decided',
    path: { hash: hashParameter },
    query: {
      wait: schema.optional(schema.words('Answer when it is in this state, or refused', 'executed', 'firm')),
      timeoutMs: schema.optional(
        schema.integer('Longest wait; then the latest known state is the answer', { max: MAX_WAIT_MS }),
        30_000,
      ),
      firstBlock: schema.optional(schema.u64Digits('First block that can hold it, as its sender knows')),
      lastBlock: schema.optional(schema.u64Digits('Its last block: once that is over, it is `expired`, not unknown')),
    },
    answers: { 200: outcome },
    errors: { 404: 'The transaction is not known to this node' },
    async handle({ path, query: { wait: until, timeoutMs, firstBlock: first = 1n, lastBlock: last }, signal }) {
      const blocks = last === undefined ? undefined : { first, last };
      const found =
        until === undefined
          ? await outcomes.find(path.hash, signal, blocks)
          : await outcomes.wait(path.hash, { until, timeoutMs }, signal, blocks);
      if (found === undefined) {
        const { lowest } = node.view;
        const kept = lowest > 1n ? `; blocks below ${lowest} are not kept` : '';
        throw new HttpError(404, 'not-found', `no transaction ${path.hash} is known here${kept}`);
      }
      // A firm block stays; a refusal may have been of a copy.
      return { status: 200, body: found, ...(found.state === 'firm' && { etag: `${path.hash}-${found.block}` }) };
    },
  });
}

/** The composer may keep a submitter waiting for longer than a client would. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let stop = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    stop = systemClock.after(ms, () =>
      reject(new Unavailable('outcome-unknown', 'the composer does not answer; sending the same bytes again is safe')),
    );
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw toHttp(error);
  } finally {
    stop();
  }
}

function isUnavailable(result: Submitted): boolean {
  return 'error' in result && result.error instanceof Unavailable;
}

function refusal(error: unknown): { readonly code: string; readonly reason: string } {
  const { code, message } = toHttpError(toHttp(error));
  return { code, reason: message };
}

function toHttp(error: unknown): unknown {
  if (error instanceof OwnRefusal) return new HttpError(422, error.kind, error.message, error.facts);
  if (error instanceof Unavailable) return new HttpError(503, error.code, error.message);
  if (error instanceof Rejected && error.reason === 'insufficient-balance') {
    return new HttpError(422, error.reason, error.message, error.facts);
  }
  return error;
}
