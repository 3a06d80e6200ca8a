import { setMaxListeners } from 'node:events';
import { createServer as createHttp1 } from 'node:http';
import { constants, createServer as createHttp2, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import { bind, type Running } from '../listening.ts';
import { type Logger, silentLogger } from '../log.ts';
import type { Listen } from '../parsers.ts';
import type { GrpcAuth } from '../peer-auth/authenticator.ts';
import type { Caller, Peer } from '../peer-auth/caller.ts';
import { AuthGate, contextOf } from '../peer-auth/gate.ts';
import { peerOfSocket } from '../peer-auth/peer.ts';
import type { TlsMaterial } from '../peer-auth/tls.ts';
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
  /** Who may call; everybody, if absent. */
  readonly auth?: GrpcAuth;
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
  const gate = options.auth && new AuthGate(options.auth.authenticator, log);
  /** Of sessions of HTTP/2 and connections of HTTP/1, where callers are asked who they are. */
  const peers = new WeakMap<object, Peer>();
  /** Of streams and requests that the gate has let through. */
  const callers = new WeakMap<object, Caller>();
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
      contextValues: (request) => contextOf(callers.get('stream' in request ? request.stream : request)),
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
    const peer = stream.session && peers.get(stream.session);
    if (gate !== undefined) {
      const caller = peer && gate.ofStream(stream, headers, peer);
      if (caller === undefined) return;
      callers.set(stream, caller);
    }
    if (!serveUnary(stream, headers, callers.get(stream)))
      for (const other of others) other.call(http2, stream, headers, ...rest);
  });
  const sessions = new Set<ServerHttp2Session>();
  let arriving: Peer | undefined;
  http2.on('session', (session) => {
    if (arriving !== undefined) peers.set(session, arriving);
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.setLocalWindowSize(4 * WINDOW_BYTES);
    watchIdle(session, idleMs);
  });
  http2.on('sessionError', (error) => log.debug({ err: error }, 'a connection failed'));

  const http1 = createHttp1(
    { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: idleMs },
    (request, response) => {
      if (gate !== undefined) {
        const peer = peers.get(request.socket);
        const caller = peer && gate.ofRequest(request, response, peer);
        if (caller === undefined) return;
        callers.set(request, caller);
      }
      handle(request, response);
    },
  );
  // The HTTP/1 server is the one that listens, so that its limits on time work; it only gets what speaks HTTP/1.
  const http1Connection = http1.listeners('connection');
  http1.removeAllListeners('connection');
  const unknown = new Set<Socket>();
  /** Connections under TLS, whether their handshake is over or not. */
  const secured = new Set<Socket>();
  const accept = (socket: Socket): void => {
    unknown.add(socket);
    void peekProtocol(socket, FIRST_BYTE_MS).then((protocol) => {
      unknown.delete(socket);
      const peer = gate && peerOfSocket(socket, options.listen.path !== undefined);
      if (protocol === 'http2') {
        // The session is made before this returns.
        arriving = peer;
        http2.emit('connection', socket);
        arriving = undefined;
      }
      if (protocol !== 'http1') return;
      if (peer !== undefined) peers.set(socket, peer);
      for (const listener of http1Connection) listener.call(http1, socket);
    });
  };
  http1.on(
    'connection',
    options.auth?.tls === undefined ? accept : behindTls(options.auth.tls, accept, { log, secured }),
  );
  http1.maxConnections = options.maxConnections ?? 512;
  const bound = await bind(http1, options.listen, options.name);
  const url = options.auth?.tls === undefined ? bound.url : bound.url.replace(/^http:/, 'https:');
  http1.on('error', (error) => log.error({ err: error }, 'the gRPC server failed'));

  const shutDown = (): Promise<void> =>
    new Promise((resolve) => {
      closing.abort(new Error('the server is closing'));
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy();
        http1.closeAllConnections();
        for (const socket of secured) socket.destroy();
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
  return { ...bound, url, health, close };
}

/** Takes what arrives through the handshake, and hands on what comes out of it. */
function behindTls(
  tls: TlsMaterial,
  accept: (socket: Socket) => void,
  { log, secured }: { readonly log: Logger; readonly secured: Set<Socket> },
): (socket: Socket) => void {
  const server = createTls({
    ...tls,
    requestCert: tls.ca !== undefined,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    handshakeTimeout: FIRST_BYTE_MS,
  });
  server.on('secureConnection', accept);
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error }, 'a TLS handshake failed');
    socket.destroy();
  });
  return (socket) => {
    secured.add(socket);
    socket.once('close', () => secured.delete(socket));
    server.emit('connection', socket);
  };
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
