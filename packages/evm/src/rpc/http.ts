import type { Clock, JsonRpcServer } from '@switchyard/service';
import type { Hono } from 'hono';
import type { RpcBounds, RpcContext } from './deps.ts';

export interface RpcHttpOptions {
  readonly server: JsonRpcServer<RpcContext>;
  readonly clock: Clock;
  /** Of pages that may ask: `*` or one origin. */
  readonly origin: string;
  readonly bounds: Pick<RpcBounds, 'requestTimeoutMs'>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const WHAT_THIS_IS = 'JSON-RPC of an EVM rollup: POST requests here, or open a WebSocket.\n';

/** Answers JSON-RPC posted to `/`, and lets web pages ask. */
export function rpcRoutes(app: Hono, { server, clock, origin, bounds }: RpcHttpOptions): void {
  const allowed = { 'access-control-allow-origin': origin, ...(origin === '*' ? {} : { vary: 'origin' }) };
  const preflight = {
    ...allowed,
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-allow-headers': 'content-type, authorization',
    'access-control-max-age': '86400',
  };
  app.options('*', () => new Response(null, { status: 204, headers: preflight }));
  app.get('/', (c) => c.text(WHAT_THIS_IS, 200, allowed));
  app.post('/', async (c) => {
    const body = await c.req.text();
    const context: RpcContext = {
      subscriber: undefined,
      deadline: clock.now() + bounds.requestTimeoutMs,
      afterAnswer: () => undefined,
    };
    const answer = await server.answer(body, context);
    // Notifications have no answer.
    return answer === undefined ? c.body(null, 204, allowed) : c.body(answer, 200, { ...JSON_TYPE, ...allowed });
  });
}
