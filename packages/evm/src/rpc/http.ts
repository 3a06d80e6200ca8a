import type { Clock, DirectAnswer, DirectPost, JsonRpcServer } from '@switchyard/service';
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

/** Answers JSON-RPC posted to `/`, and lets web pages ask. @returns The same for a server that skips the application. */
export function rpcRoutes(app: Hono, { server, clock, origin, bounds }: RpcHttpOptions): DirectPost {
  const allowed = { 'access-control-allow-origin': origin, ...(origin === '*' ? {} : { vary: 'origin' }) };
  const preflight = {
    ...allowed,
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-allow-headers': 'content-type, authorization',
    'access-control-max-age': '86400',
  };
  const withType = { ...JSON_TYPE, ...allowed };
  async function answer(request: string): Promise<DirectAnswer> {
    const context: RpcContext = {
      subscriber: undefined,
      deadline: clock.now() + bounds.requestTimeoutMs,
      afterAnswer: () => undefined,
    };
    const body = await server.answer(request, context);
    // Notifications have no answer.
    return body === undefined ? { status: 204, headers: allowed, body } : { status: 200, headers: withType, body };
  }
  app.options('*', () => new Response(null, { status: 204, headers: preflight }));
  app.get('/', (c) => c.text(WHAT_THIS_IS, 200, allowed));
  app.post('/', async (c) => {
    const { status, headers, body } = await answer(await c.req.text());
    return new Response(body ?? null, { status, headers });
  });
  return { path: '/', answer };
}
