import { setMaxListeners } from 'node:events';
import { createServer as createHttp2, type IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Access } from '../access/access.ts';
import { provenanceOf } from '../access/admit.ts';
import { peerOf } from '../access/peer.ts';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import { httpListener } from '../http-listener.ts';
import { bind, type Running } from '../listening.ts';
import { type Logger, silentLogger } from '../log.ts';
import type { Listen } from '../parsers.ts';
import { guarded, RPC_CORS, refuseCall, safely } from './guard.ts';
import { healthService, ServingStatus } from './health.ts';
import { peekProtocol } from './preface.ts';
import { reflectionRoutes } from './reflection.ts';
import { SessionWatch } from './sessions.ts';
import { statusInterceptor, statusTranslator } from './status.ts';
import { collectUnary, unaryServer } from './unary-server.ts';

export interface GrpcOptions {
  readonly listen: Listen;
  /** Who may call. If absent, loopback names and IP addresses only, and no web page. */
  readonly access?: Access;
  readonly routes: (router: ConnectRouter) => void;
  /** The services of `routes`, for health and reflection. */
  readonly services: readonly DescService[];
  /** The variable that holds the address, named where the address cannot be used. */
  readonly name: string;
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal;
  readonly log?: Logger;
  /** Bound on each message, both ways. */
  readonly maxMessageBytes?: number;
  readonly maxConcurrentStreams?: number;
  readonly maxConnections?: number;
  /** A connection, or a request that stays incomplete, ends after this time without a byte. */
  readonly idleMs?: number;
  /** From the header of a request to its last byte. */
  readonly requestTimeoutMs?: number;
  /** What calls under way are given when the server closes. */
  readonly graceMs?: number;
}

export interface RunningGrpc extends Running {
  /** What the health service answers. */
  readonly health: Pick<ServingStatus, 'set'>;
}

/** Lets 1 MiB messages through without a pause for acknowledgement on each 64 KiB, the protocol's default. */
export const WINDOW_BYTES = 4 * 1_048_576;
/** Compressing costs more than a local network does. Compressed requests are understood. */
const NEVER_COMPRESS = 0xffffffff;
const FIRST_BYTE_MS = 10_000;

/**
 * Serves gRPC over cleartext HTTP/2, and on the same port the Connect and gRPC-web protocols over HTTP/1.1 and HTTP/2.
 * Health and reflection are added.
 *
 * @throws {CannotListen} where the address cannot be used.
 */
export async function serveGrpc(options: GrpcOptions): Promise<RunningGrpc> {
  const { log = silentLogger, maxMessageBytes = 4 * 1_048_576, idleMs = 120_000 } = options;
  const { requestTimeoutMs = 60_000, graceMs = 2_000 } = options;
  const health = new ServingStatus(options.services.map(({ typeName }) => typeName));
  const closing = new AbortController();
  // Every call under way listens to it.
  setMaxListeners(0, closing.signal);
  let unary: ReturnType<typeof collectUnary> = new Map();
  const connect = connectNodeAdapter({
    routes(router) {
      unary = collectUnary(router, (each) => {
        options.routes(each);
        each.service(Health, healthService(health));
      });
      reflectionRoutes(router, [...options.services, Health]);
    },
    interceptors: [statusInterceptor(log)],
    readMaxBytes: maxMessageBytes,
    writeMaxBytes: maxMessageBytes,
    compressMinBytes: NEVER_COMPRESS,
    shutdownSignal: closing.signal,
  });
  // The HTTP/1 server is the one that listens, so that its limits on time work; it only gets what speaks HTTP/1.
  const listener = httpListener({
    listen: options.listen,
    access: options.access,
    cors: RPC_CORS,
    log,
    maxConnections: options.maxConnections ?? 512,
    keepAliveMs: idleMs,
    handle: safely(connect),
    route: (socket, serveHttp1) => {
      unknown.add(socket);
      void peekProtocol(socket, FIRST_BYTE_MS).then((protocol) => {
        unknown.delete(socket);
        if (protocol === 'http1') serveHttp1();
        if (protocol !== 'http2') return;
        arriving = socket;
        http2.emit('connection', socket);
        arriving = undefined;
      });
    },
  });
  const { server: http1, admission, guard, rejections } = listener;
  const unknown = new Set<Socket>();
  /** The connection whose session is being made: sessions do not say on which one they are. */
  let arriving: Socket | undefined;

  const http2 = createHttp2(
    {
      settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 256, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: 64,
    },
    guarded(admission, connect),
  );
  // Plain unary calls are answered without Connect, everything else by it.
  const serveUnary = unaryServer(unary, { maxMessageBytes, closing: closing.signal, translate: statusTranslator(log) });
  const others = http2.listeners('stream');
  http2.removeAllListeners('stream');
  http2.on('stream', (stream, headers, ...rest) => {
    const refusal = isGrpc(headers) ? admission.gate.refusal(provenanceOf(headers, 'POST')) : undefined;
    if (refusal !== undefined) {
      rejections.add(refusal.code, peerOf(stream.session?.socket?.remoteAddress), { message: refusal.message });
      return refuseCall(stream, refusal);
    }
    if (!serveUnary(stream, headers)) for (const other of others) other.call(http2, stream, headers, ...rest);
  });
  const watch = new SessionWatch({ idleMs, requestTimeoutMs }, rejections);
  http2.on('session', (session) => {
    session.setLocalWindowSize(4 * WINDOW_BYTES);
    guard.of(arriving)?.carry(watch.add(session));
  });
  http2.on('sessionError', (error) => log.debug({ err: error }, 'a connection failed'));
  const bound = await bind(http1, options.listen, options.name);
  http1.on('error', (error) => log.error({ err: error }, 'the gRPC server failed'));

  const shutDown = (): Promise<void> =>
    new Promise((resolve) => {
      closing.abort(new Error('the server is closing'));
      const cut = setTimeout(() => {
        watch.destroy();
        http1.closeAllConnections();
      }, graceMs);
      http1.close(() => {
        clearTimeout(cut);
        resolve();
      });
      for (const socket of unknown) socket.destroy();
      watch.close();
      http1.closeIdleConnections();
    });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= shutDown();
    return closed;
  };
  options.signal?.addEventListener('abort', () => void close(), { once: true });
  if (options.signal?.aborted === true) await close();
  return { ...bound, health, close };
}

/** What Connect answers; other clients of HTTP/2 get the same as those of HTTP/1. */
function isGrpc({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return type?.startsWith('application/grpc') === true && !type.startsWith('application/grpc-web');
}
