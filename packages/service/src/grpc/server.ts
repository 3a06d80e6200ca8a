import { setMaxListeners } from 'node:events';
import { createServer as createHttp1 } from 'node:http';
import { constants, createServer as createHttp2, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import { bind, type Running } from '../listening.ts';
import { type Logger, silentLogger } from '../log.ts';
import type { Listen } from '../parsers.ts';
import { guarded } from './guard.ts';
import { healthService, ServingStatus } from './health.ts';
import { peekProtocol } from './preface.ts';
import { reflectionRoutes } from './reflection.ts';
import { statusInterceptor, statusTranslator } from './status.ts';
import { collectUnary, unaryServer } from './unary-server.ts';

export interface GrpcOptions {
  readonly listen: Listen;
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
  const { log = silentLogger, maxMessageBytes = 4 * 1_048_576, idleMs = 120_000, graceMs = 2_000 } = options;
  const health = new ServingStatus(options.services.map(({ typeName }) => typeName));
  const closing = new AbortController();
  // Every call under way listens to it.
  setMaxListeners(0, closing.signal);
  let unary: ReturnType<typeof collectUnary> = new Map();
  const handle = guarded(
    connectNodeAdapter({
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
    }),
  );

  const http2 = createHttp2(
    {
      settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 256, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: 64,
    },
    handle,
  );
  // Plain unary calls are answered without Connect, everything else by it.
  const serveUnary = unaryServer(unary, { maxMessageBytes, closing: closing.signal, translate: statusTranslator(log) });
  const others = http2.listeners('stream');
  http2.removeAllListeners('stream');
  http2.on('stream', (stream, headers, ...rest) => {
    if (!serveUnary(stream, headers)) for (const other of others) other.call(http2, stream, headers, ...rest);
  });
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.setLocalWindowSize(4 * WINDOW_BYTES);
    watchIdle(session, idleMs);
  });
  http2.on('sessionError', (error) => log.debug({ err: error }, 'a connection failed'));

  const http1 = createHttp1(
    { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: idleMs },
    handle,
  );
  // The HTTP/1 server is the one that listens, so that its limits on time work; it only gets what speaks HTTP/1.
  const http1Connection = http1.listeners('connection');
  http1.removeAllListeners('connection');
  const unknown = new Set<Socket>();
  http1.on('connection', (socket: Socket) => {
    unknown.add(socket);
    void peekProtocol(socket, FIRST_BYTE_MS).then((protocol) => {
      unknown.delete(socket);
      if (protocol === 'http2') http2.emit('connection', socket);
      if (protocol === 'http1') for (const listener of http1Connection) listener.call(http1, socket);
    });
  });
  http1.maxConnections = options.maxConnections ?? 512;
  const bound = await bind(http1, options.listen, options.name);
  http1.on('error', (error) => log.error({ err: error }, 'the gRPC server failed'));

  const shutDown = (): Promise<void> =>
    new Promise((resolve) => {
      closing.abort(new Error('the server is closing'));
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy();
        http1.closeAllConnections();
      }, graceMs);
      http1.close(() => {
        clearTimeout(cut);
        resolve();
      });
      for (const socket of unknown) socket.destroy();
      for (const session of sessions) session.close();
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

/** Ends what does nothing: a connection without calls, and calls whose request never becomes complete. */
function watchIdle(session: ServerHttp2Session, idleMs: number): void {
  const open = new Set<ServerHttp2Stream>();
  session.on('stream', (stream) => {
    open.add(stream);
    stream.once('close', () => open.delete(stream));
  });
  session.setTimeout(idleMs, () => {
    if (open.size === 0) session.close();
    for (const stream of open) if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
  });
}
