import { HttpError, toJson } from '@switchyard/service';
import { knownQuery } from '@switchyard/service/api';
import type { Hono } from 'hono';
import type { SubmissionLog } from '../queue/submission-log.ts';

/** Adds `GET /v1/recent?limit=20`: the way of the newest submissions, newest first, at most 64. */
export function withRecent(recent: SubmissionLog, app: Hono): Hono {
  app.get('/v1/recent', knownQuery('limit'), (c) => {
    const wanted = c.req.query('limit') ?? '20';
    if (!/^[1-9]\d{0,5}$/.test(wanted)) {
      throw new HttpError(400, 'malformed', `limit: expected a whole number from 1, got ${JSON.stringify(wanted)}`);
    }
    return new Response(toJson({ transactions: recent.latest(Number(wanted)) }), {
      headers: { 'content-type': 'application/json' },
    });
  });
  return app;
}
