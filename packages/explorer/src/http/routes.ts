import { type Clock, clientOf, HttpError, type RateLimit } from '@switchyard/service';
import type { Hono } from 'hono';
import { accountRoutes } from './accounts.ts';
import { blockRoutes } from './blocks.ts';
import type { ApiContext } from './context.ts';
import { eventRoute, headsOf } from './events.ts';
import { json } from './page.ts';
import { rollupRoutes } from './rollups.ts';
import { searchRoute } from './search.ts';
import { passRoutes, traceRoutes } from './trace.ts';

/** The API of the explorer. It changes nothing, so every page may use it. */
export function explorerRoutes(app: Hono, context: ApiContext, limit: { rate: RateLimit; clock: Clock }): void {
  app.use('/v1/*', async (c, next) => {
    if (!limit.rate.take(clientOf(c.env), 1, limit.clock.now())) {
      throw new HttpError(429, 'limit-reached', 'too many requests from this address; slow down and try again');
    }
    await next();
  });
  app.get('/v1/status', () => json(statusOf(context)));
  for (const routes of [blockRoutes, accountRoutes, rollupRoutes, searchRoute, traceRoutes, passRoutes, eventRoute]) {
    routes(app, context);
  }
}

export function statusOf(context: Pick<ApiContext, 'sequencer' | 'rollups' | 'addressPrefix'>) {
  const { chainId, height, latest, problem } = context.sequencer.state();
  return {
    chainId: chainId ?? null,
    addressPrefix: context.addressPrefix,
    latest,
    lag: Math.max(0, latest - height),
    problem: problem ?? null,
    ...headsOf(context),
  };
}
