import type { Access } from '../access/access.ts';
import { fromThisProcess, type HttpApp, type HttpOptions, serveHttp } from '../http/http.ts';
import {
  type DirectAnswer,
  type DirectRequest,
  type DirectRoutes,
  JSON_TYPE,
  type Requester,
} from '../http/http-direct.ts';
import type { Running } from '../http/listening.ts';
import type { Clock } from '../timing/clock.ts';
import type { RpcContext } from './context.ts';
import type { JsonRpcServer } from './server.ts';
import { acceptWebSockets, type WebSocketOptions } from './websocket.ts';

export interface ServeJsonRpcOptions
  extends Pick<WebSocketOptions, 'onLagging'>,
    Pick<HttpOptions, 'listen' | 'name' | 'links' | 'maxConnections' | 'maxHeaderBytes' | 'graceMs'> {
  readonly server: JsonRpcServer;
  /** Rules for who may call, and for pages. */
  readonly access?: Access | undefined;
  /** Answers requests other than JSON-RPC. */
  readonly app: HttpApp;
  /** Calls in other forms, such as URLs. Undefined leaves a request to `app`. */
  readonly other?: (request: DirectRequest, context: RpcContext) => Promise<DirectAnswer> | undefined;
  /** The answer to a body that is not read, and why it is not. */
  readonly refuse?: DirectRoutes['refuse'];
  readonly webSocketPath?: string;
  /** Connections on which no byte comes or goes for this long are ended; by default a minute. */
  readonly idleMs?: number;
}

/** Longer than any request is worked on. */
const IDLE_MS = 60_000;

/**
 * Serves JSON-RPC by POST to `/` and over WebSocket.
 *
 * @throws {CannotListen} if the address cannot be used.
 */
export async function serveJsonRpc(options: ServeJsonRpcOptions): Promise<Running> {
  const { server, access, links, other, refuse, webSocketPath, onLagging, ...http } = options;
  const { bounds, clock, log } = server;
  const { silentStatus } = server.dialect;

  async function post(body: string, context: RpcContext): Promise<DirectAnswer> {
    const { text, pieces, release } = await server.answer(body, context);
    if (text === '' && pieces === undefined) return { status: silentStatus, headers: {}, body: undefined, release };
    return { status: 200, headers: JSON_TYPE, body: pieces ?? text, release };
  }

  const running = await serveHttp({
    ...http,
    links,
    log,
    // Methods that sign or change something look at the page themselves.
    ...(access !== undefined && { access: { ...access, publicPosts: ['/'] } }),
    direct: {
      answer(request, from) {
        const context = new HttpContext(from, clock, clock.now() + bounds.requestTimeoutMs);
        if (request.path === '/' && request.method === 'POST') return post(request.body.toString(), context);
        return other?.(request, context);
      },
      ...(refuse !== undefined && { refuse }),
    },
    maxBodyBytes: bounds.maxBodyBytes,
    maxUnreadBytes: bounds.maxUnreadAnswerBytes,
    idleMs: options.idleMs ?? IDLE_MS,
  });
  const unlink = links?.addRpc(running.url, {
    maxBodyBytes: bounds.maxBodyBytes,
    async answer(body, signal) {
      const context = new HttpContext(
        fromThisProcess(running.turns, signal),
        clock,
        clock.now() + bounds.requestTimeoutMs,
      );
      const { text, pieces, release } = await server.answer(body, context);
      release?.();
      return pieces === undefined ? text : Buffer.concat(pieces).toString();
    },
  });
  const closeWebSockets = acceptWebSockets(running, { server, onLagging, path: webSocketPath });
  links?.onCutOff(closeWebSockets);
  return {
    ...running,
    close() {
      unlink?.();
      closeWebSockets();
      return running.close();
    },
  };
}

/** Context of a request over HTTP, whose client cannot be notified. */
class HttpContext implements RpcContext {
  readonly subscriber = undefined;

  constructor(
    readonly from: Requester,
    readonly clock: Clock,
    readonly deadline: number,
  ) {}

  isOver(): boolean {
    return this.from.isGone() || this.clock.now() > this.deadline;
  }

  afterAnswer(): void {}
}
