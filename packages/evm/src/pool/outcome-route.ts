import { txHashFromHex } from '@switchyard/protocol';
import { HttpError, toJson } from '@switchyard/service';
import { knownQuery } from '@switchyard/service/api';
import type { Hono } from 'hono';
import type { RunningPool } from './deps.ts';

const MOST = 64;

/**
 * Adds `GET /v1/outcomes?submissions=a,b`: outcomes of transactions by their SHA-256, under which composer and
 * sequencer know them; at most 64. Transactions not sent from here, or sent long ago, are left out.
 */
export function withOutcomes(pool: Pick<RunningPool, 'outcomes'>, app: Hono): Hono {
  app.get('/v1/outcomes', knownQuery('submissions'), async (c) => {
    const wanted = (c.req.query('submissions') ?? '').split(',').filter((each) => each !== '');
    if (wanted.length > MOST || !wanted.every((each) => /^[0-9a-f]{64}$/.test(each))) {
      throw new HttpError(
        400,
        'malformed',
        `submissions: expected up to ${MOST} hashes of 64 hex digits, separated by commas`,
      );
    }
    const transactions = await pool.outcomes(wanted.map(txHashFromHex));
    return new Response(toJson({ transactions }), { headers: { 'content-type': 'application/json' } });
  });
  return app;
}
