import { HttpError, toJson } from '@switchyard/service';
import { knownQuery } from '@switchyard/service/api';
import type { Hono } from 'hono';
import type { RelayerState } from './state.ts';
import type { StateStore } from './store.ts';

/** Blocks in one answer. */
const MOST = 1_000n;

/** Adds `GET /v1/posted?from=1&to=25`: the blocks of the range that the layer has, with its heights; at most 1,000. */
export function withPosted(
  store: Pick<StateStore, 'posted'>,
  { sequencerChainId, daChainId }: Pick<RelayerState, 'sequencerChainId' | 'daChainId'>,
  app: Hono,
): Hono {
  app.get('/v1/posted', knownQuery('from', 'to'), (c) => {
    const from = heightIn('from', c.req.query('from'));
    const to = heightIn('to', c.req.query('to') ?? c.req.query('from'));
    if (to < from || to - from >= MOST) {
      throw new HttpError(400, 'malformed', `to: expected ${from} to ${from + MOST - 1n}, got ${to}`);
    }
    return new Response(toJson({ sequencerChainId, daChainId, blocks: store.posted(from, to) }), {
      headers: { 'content-type': 'application/json' },
    });
  });
  return app;
}

function heightIn(name: string, given: string | undefined): bigint {
  if (given !== undefined && /^[1-9]\d{0,18}$/.test(given)) return BigInt(given);
  throw new HttpError(400, 'malformed', `${name}: expected a height from 1, got ${JSON.stringify(given ?? null)}`);
}
