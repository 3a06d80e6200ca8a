import {
  type Clock,
  clientOf,
  type DirectAnswer,
  type DirectPost,
  type JsonRpcCaller,
  type JsonRpcServer,
} from '@switchyard/service';
import type { Hono } from 'hono';
import type { RpcBounds, RpcContext } from './deps.ts';

export interface RpcHttpOptions {
  readonly server: JsonRpcServer<RpcContext>;
  readonly clock: Clock;
  readonly bounds: Pick<RpcBounds, 'requestTimeoutMs'>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const WHAT_THIS_IS = 'JSON-RPC of an EVM rollup: POST requests here, or open a WebSocket.\n';

/** Answers JSON-RPC posted to `/`. @returns The same for a server that skips the application. */
export function rpcRoutes(app: Hono, { server, clock, bounds }: RpcHttpOptions): DirectPost {
  async function answer(request: string, caller: JsonRpcCaller): Promise<DirectAnswer> {
    const context: RpcContext = {
      client: caller.peer,
      isGone: caller.isGone,
      subscriber: undefined,
      deadline: clock.now() + bounds.requestTimeoutMs,
      afterAnswer: () => undefined,
    };
    const body = await server.answer(request, context, caller);
    // Notifications have no answer.
    return body === undefined ? { status: 204, headers: {}, body } : { status: 200, headers: JSON_TYPE, body };
  }
  app.get('/', (c) => c.text(WHAT_THIS_IS));
  app.post('/', async (c) => {
    const { status, headers, body } = await answer(await c.req.text(), {
      peer: clientOf(c.env),
      isGone: () => c.req.raw.signal.aborted,
    });
    return new Response(body ?? null, { status, headers });
  });
  return { path: '/', answer };
}
