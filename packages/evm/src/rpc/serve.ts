import {
  type Access,
  type Clock,
  httpApp,
  type Listen,
  type Logger,
  type Metrics,
  type Running,
  serveHttp,
} from '@switchyard/service';
import type { Hono } from 'hono';
import { DEFAULT_BOUNDS, type RpcBounds, type RpcMethods } from './deps.ts';
import { rpcRoutes } from './http.ts';
import { rpcServer } from './server.ts';
import { acceptWebSockets } from './websocket.ts';

export interface ServeRpcOptions {
  readonly methods: RpcMethods;
  readonly http: { readonly listen: Listen; readonly name: string };
  /** A second address, for clients that have one for WebSocket; both answer both. */
  readonly ws?: { readonly listen: Listen; readonly name: string };
  /** Who may call, and which pages. */
  readonly access?: Access;
  /** Adds routes beside JSON-RPC, such as health. */
  readonly routes?: (app: Hono) => void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bounds?: Partial<RpcBounds>;
  readonly metrics?: Metrics;
  readonly signal?: AbortSignal;
}

export interface RunningRpc {
  readonly http: Running;
  readonly ws: Running | undefined;
  /** Ends connections and listeners. May be called twice. */
  close(): Promise<void>;
}

/**
 * Serves JSON-RPC over HTTP and WebSocket.
 *
 * @throws {CannotListen} where an address cannot be used; nothing is left open then.
 */
export async function serveRpc(options: ServeRpcOptions): Promise<RunningRpc> {
  const { log, clock, access, methods, metrics, signal } = options;
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const server = rpcServer({ methods, log, clock, bounds, ...(metrics === undefined ? {} : { metrics }) });
  const app = httpApp(log);
  options.routes?.(app);
  const direct = rpcRoutes(app, { server, clock, bounds });
  const open = async ({ listen, name }: { readonly listen: Listen; readonly name: string }): Promise<Running> => {
    const running = await serveHttp({
      listen,
      name,
      app,
      direct,
      log,
      maxBodyBytes: bounds.maxBodyBytes,
      ...(access === undefined ? {} : { access }),
    });
    const closeSockets = acceptWebSockets(running, { server, log, clock, bounds });
    return {
      ...running,
      close() {
        closeSockets();
        return running.close();
      },
    };
  };
  const http = await open(options.http);
  const ws = options.ws === undefined ? undefined : await open(options.ws).catch(closing(http));
  const close = async (): Promise<void> => {
    await Promise.all([http.close(), ws?.close()]);
  };
  signal?.addEventListener('abort', () => void close(), { once: true });
  if (signal?.aborted === true) await close();
  return { http, ws, close };
}

/** Closes what is open before it rethrows an error. */
function closing(open: Running): (error: unknown) => Promise<never> {
  return async (error) => {
    await open.close();
    throw error;
  };
}
