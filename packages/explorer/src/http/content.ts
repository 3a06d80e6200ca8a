import { decodeRollupData, type RollupId, toHex, txHashOf } from '@switchyard/protocol';
import type { AnyRoute } from '@switchyard/service/api';
import { rollups } from '../contract/rollups.ts';
import { findSubmissionPlaces } from '../sequencer/hash-runs.ts';
import { answer } from './answer.ts';
import { number } from './cells.ts';
import { type ApiContext, followed } from './context.ts';
import { mapped, notFound } from './problems.ts';
import { getRollup } from './rollups.ts';
import { upstream } from './upstream.ts';

/** Identical bytes may be in several blocks, and in those of several rollups. */
const MAX_PLACES = 50;

/** The bytes from the sequencer and their content as read by a node of the rollup, so that those of any rollup are shown in its own terms. */
export function contentRoute(context: ApiContext): AnyRoute {
  const { store, signal } = context;
  return answer(rollups.getRollupTransactionContent, async ({ path: { rollup: given, hash } }) => {
    const rollup = getRollup(context, given);
    const places = await findSubmissionPlaces(store, hash, MAX_PLACES);
    const place = places.find((each) => each.rollup === rollup);
    if (place === undefined) throw notFound(`no transaction ${hash} of this rollup in the index`);
    const height = number(place.height);
    const bytes = await submissionAt(context, { rollup, height, hash });
    const node = followed(context, rollup)?.node;
    const decoded = await mapped(upstream('the node of this rollup'), async () => node?.decode?.(bytes, signal));
    return { hash, height, bytes: toHex(bytes), decoded: decoded ?? null };
  });
}

async function submissionAt(
  { client, signal }: ApiContext,
  { rollup, height, hash }: { readonly rollup: RollupId; readonly height: number; readonly hash: string },
): Promise<Uint8Array> {
  const block = await mapped(upstream('the sequencer'), () => client.filteredBlock(BigInt(height), rollup, signal));
  for (const entry of block.rollups.find((each) => each.rollup === rollup)?.transactions ?? []) {
    const data = decodeRollupData(entry);
    if (data.kind === 'sequencedData' && txHashOf(data.data) === hash) return data.data;
  }
  throw notFound(`block ${height} of the sequencer has no transaction ${hash} of this rollup`);
}
