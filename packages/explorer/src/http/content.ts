import { decodeRollupData, type RollupId, toHex, txHashOf } from '@switchyard/protocol';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { findSubmissionPlaces } from '../sequencer/hash-runs.ts';
import { number } from './cells.ts';
import { type ApiContext, followed } from './context.ts';
import { notFound } from './problems.ts';
import { rollupOf, TAG } from './rollups.ts';
import * as form from './schemas.ts';
import { upstream } from './upstream.ts';

/** The same bytes may be in several blocks, and in those of several rollups. */
const MAX_PLACES = 50;

const contentSchema = schema.object(
  {
    hash: form.hash('Of the bytes'),
    height: schema.integer('Of the sequencer block that holds them'),
    bytes: form.hex('As the sequencer has them'),
    decoded: schema.json('Signer, nonce, chain and actions as a node of the rollup reads them; null where it cannot'),
  },
  { name: 'Content' },
);

/** The bytes from the sequencer and what a node of the rollup reads in them, so that those of any rollup are shown in its own terms. */
export function contentRoute(context: ApiContext): AnyRoute {
  const { store, signal } = context;
  return route({
    method: 'get',
    url: '/v1/rollups/{rollup}/transactions/{hash}/content',
    id: 'getRollupTransactionContent',
    tag: TAG,
    summary: 'The bytes of a transaction of a rollup, and what they mean',
    path: { rollup: form.rollupParameter, hash: form.hashParameter },
    answers: { 200: contentSchema },
    errors: { 404: 'No such transaction in the index', ...form.NODE_ERRORS },
    async handle({ path }) {
      const { hash } = path;
      const rollup = rollupOf(context, path.rollup);
      const places = await findSubmissionPlaces(store, hash, MAX_PLACES);
      const place = places.find((each) => each.rollup === rollup);
      if (place === undefined) throw notFound(`no transaction ${hash} of this rollup in the index`);
      const height = number(place.height);
      const bytes = await submissionAt(context, { rollup, height, hash });
      const decoded = await followed(context, rollup)
        ?.decode(bytes, signal)
        .catch((error: unknown) => {
          throw upstream('the node of this rollup', error);
        });
      return { status: 200, body: { hash, height, bytes: toHex(bytes), decoded: decoded ?? null } };
    },
  });
}

async function submissionAt(
  { client, signal }: ApiContext,
  { rollup, height, hash }: { readonly rollup: RollupId; readonly height: number; readonly hash: string },
): Promise<Uint8Array> {
  const block = await client.filteredBlock(BigInt(height), rollup, signal).catch((error: unknown) => {
    throw upstream('the sequencer', error);
  });
  for (const entry of block.rollups.find((each) => each.rollup === rollup)?.transactions ?? []) {
    const data = decodeRollupData(entry);
    if (data.kind === 'sequencedData' && txHashOf(data.data) === hash) return data.data;
  }
  throw notFound(`block ${height} of the sequencer has no transaction ${hash} of this rollup`);
}
