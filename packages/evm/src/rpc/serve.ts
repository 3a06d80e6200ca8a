import {
  type Access,
  type Clock,
  healthRoutes,
  httpApp,
  type Links,
  type Listen,
  type Logger,
  type Metrics,
  operatorAccess,
  type ProcessContext,
  pageAccess,
  type Running,
  systemClock,
} from '@switchyard/service';
import { serveJsonRpc } from '@switchyard/service/json-rpc';
import type { Hono } from 'hono';
import type { ChainReader } from '../chain/chain.ts';
import type { RpcBounds, RpcMethods } from './deps.ts';
import { rpcServer } from './server.ts';

interface Address {
  readonly listen: Listen;
  readonly name: string;
}

export interface ServeRpcOptions {
  readonly methods: RpcMethods;
  readonly http: Address;
  /** A second address, for clients that have one for WebSocket; both answer both. */
  readonly ws?: Address;
  /** Restricts which clients and which pages may call. */
  readonly access?: Access;
  /** Connections on which no byte comes or goes for this long are ended. */
  readonly idleMs?: number;
  /** Time that requests under way get when the server closes. */
  readonly graceMs?: number;
  /** Lets other parts of this process call without a connection. */
  readonly links?: Links | undefined;
  /** Adds routes besides JSON-RPC, such as health. */
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

const WHAT_THIS_IS = 'JSON-RPC of an EVM rollup: POST requests here, or open a WebSocket.\n';

/**
 * Serves JSON-RPC over HTTP and WebSocket.
 *
 * @throws {CannotListen} if an address cannot be used; nothing is left open then.
 */
export async function serveRpc(options: ServeRpcOptions): Promise<RunningRpc> {
  const { access, idleMs, graceMs, links, signal } = options;
  const server = rpcServer(options);
  const app = httpApp(options.log);
  options.routes?.(app);
  app.get('/', (c) => c.text(WHAT_THIS_IS));
  // One event loop: who floods one of the two ports is not alone while others are served on the other.
  const open = (address: Address): Promise<Running> =>
    serveJsonRpc({
      ...address,
      server,
      access,
      app,
      links,
      ...(idleMs !== undefined && { idleMs }),
      ...(graceMs !== undefined && { graceMs }),
    });
  const http = await open(options.http);
  const ws = options.ws === undefined ? undefined : await open(options.ws).catch(closing(http));
  const close = async (): Promise<void> => {
    await Promise.all([http.close(), ws?.close()]);
  };
  signal?.addEventListener('abort', () => void close(), { once: true });
  if (signal?.aborted === true) await close();
  return { http, ws, close };
}

/** Options of a node that no other process drives: its settings, its health, and the state of its chain. */
export function ownServing(
  prefix: string,
  config: Parameters<typeof operatorAccess>[0] & {
    readonly httpAddr: Listen;
    readonly corsOrigin: readonly string[];
  },
  chain: Pick<ChainReader, 'chainId' | 'heads'>,
  { log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>,
): Omit<ServeRpcOptions, 'methods'> {
  const status = () => ({ chainId: String(chain.chainId), blocks: String(chain.heads.latest) });
  const health = { ready: () => ({ ok: true }), status, metrics };
  const pages = { origins: config.corsOrigin, setting: `${prefix}CORS_ORIGIN` };
  return {
    http: { listen: config.httpAddr, name: `${prefix}HTTP_ADDR` },
    access: pageAccess(operatorAccess(config, prefix), pages),
    routes: (app) => void app.route('/', healthRoutes(health)),
    ...{ log: log.child({ component: 'rpc' }), clock: systemClock, metrics },
  };
}

/** Closes open listeners before it rethrows an error. */
function closing(open: Running): (error: unknown) => Promise<never> {
  return async (error) => {
    await open.close();
    throw error;
  };
}
