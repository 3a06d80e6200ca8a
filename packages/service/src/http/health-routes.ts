import type { Hono } from 'hono';
import { toJson } from '../input/json.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { httpApp } from './http.ts';

export interface Health {
  /** Whether the process can do its work now; if not, why. */
  ready(): Readiness | Promise<Readiness>;
  /** Facts for people. Bigints are fine. */
  status(): object | Promise<object>;
  readonly metrics?: Metrics;
}

export interface Readiness {
  readonly ok: boolean;
  readonly reason?: string | undefined;
  /** Why its work has results that its operator should look at, while it can do it. */
  readonly degraded?: string | undefined;
  /** Fact for people that does not change whether the process is ready. */
  readonly note?: string | undefined;
}

/**
 * `/healthz` (the process lives), `/readyz` (it can work), `/status` and `/metrics`. The first two name the process, so
 * that its starter can tell its answer from that of a stranger on the same port.
 */
export function healthRoutes({ ready, status, metrics }: Health): Hono {
  const app = httpApp();
  app.get('/healthz', () => json({ status: 'ok', pid: process.pid }));
  app.get('/readyz', async () => {
    const { ok, reason = 'unknown', degraded, note } = await ready();
    const { pid } = process;
    if (!ok) return json({ status: 'not ready', pid, reason, note }, 503);
    return json(
      degraded === undefined ? { status: 'ok', pid, note } : { status: 'degraded', pid, reason: degraded, note },
    );
  });
  app.get('/status', async () => json(await status()));
  if (metrics !== undefined) {
    app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'content-type': metrics.contentType }));
  }
  return app;
}

function json(value: object, status = 200): Response {
  return new Response(toJson(value), { status, headers: { 'content-type': 'application/json' } });
}
