import { constants, createServer as createHttp2, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { forManyListeners } from '../abort.ts';
import { type Access, CLOSED } from '../access/access.ts';
import { provenanceOf } from '../access/admit.ts';
import { clientOfRequest } from '../access/client.ts';
import { peerOf } from '../access/peer.ts';
import { systemClock } from '../clock.ts';
import { ByteBudget } from '../connections/byte-budget.ts';
import { Places } from '../connections/places.ts';
import { Turns } from '../connections/turns.ts';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import { httpListener } from '../http-listener.ts';
import { type Links, UnderWay } from '../links.ts';
import { bind, type Running } from '../listening.ts';
import { type Logger, silentLogger } from '../log.ts';
import type { Listen } from '../parsers.ts';
import type { GrpcAuth } from '../peer-auth/authenticator.ts';
import { type Caller, type Peer, peerKey } from '../peer-auth/caller.ts';
import { AuthGate, contextOf } from '../peer-auth/gate.ts';
import { peerOfSocket } from '../peer-auth/peer.ts';
import type { TlsMaterial } from '../peer-auth/tls.ts';
import { UnreadAnswers } from '../unread-answers.ts';
import { connectAdapter } from './adapter.ts';
import { guarded, RPC_CORS, refuseCall, safely } from './guard.ts';
import { healthService, ServingStatus } from './health.ts';
import { peekProtocol } from './preface.ts';
import { reflectionRoutes } from './reflection.ts';
import { SessionWatch } from './sessions.ts';
import { statusInterceptor, statusTranslator } from './status.ts';
import { type Collected, collectMethods, unaryServer } from './unary-server.ts';

export interface GrpcOptions {
  readonly listen: Listen;
  /** Rules for hosts and pages. If absent, loopback names and IP addresses only, and no web page. */
  readonly access?: Access;
  readonly routes: (router: ConnectRouter) => void;
  /** The services of `routes`, for health and reflection. */
  readonly services: readonly DescService[];
  /** The variable that holds the address, named where the address cannot be used. */
  readonly name: string;
  /** Rules for callers; if absent, every client may call. */
  readonly auth?: GrpcAuth;
  /** Lets other parts of this process call without a connection. */
  readonly links?: Links | undefined;
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal;
  readonly log?: Logger;
  /** Bound on each message, both ways. */
  readonly maxMessageBytes?: number;
  /** Bytes of answers to plain calls that wait for their readers, all together; with more, the call that has most of it is reset. */
  readonly maxUnreadBytes?: number;
  /** Streams of one session. */
  readonly maxConcurrentStreams?: number;
  /** Streams of all HTTP/2 sessions; one address may have half of them. */
  readonly maxStreams?: number;
  readonly maxConnections?: number;
  /** A connection, or a request that stays incomplete, ends after this time without a byte. */
  readonly idleMs?: number;
  /** From the header of a request to its last byte. */
  readonly requestTimeoutMs?: number;
  /** Time that calls under way get when the server closes. */
  readonly graceMs?: number;
}

export interface RunningGrpc extends Running {
  /** Statuses that the health service reports. */
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
  const gone = new AbortController();
  for (const { signal } of [closing, gone]) forManyListeners(signal);
  const underWay = new UnderWay();
  let methods: Collected = { unary: new Map(), streams: new Map() };
  const { access = CLOSED } = options;
  const accounts = {
    budget: new ByteBudget({ maxBytes: 4 * maxMessageBytes, maxBytesOfPeer: 2 * maxMessageBytes }),
    turns: new Turns(),
  };
  /** Peers by HTTP/2 session or HTTP/1 connection, where callers are authenticated. */
  const peers = new WeakMap<object, Peer>();
  /** Addresses of HTTP/2 sessions, which show another socket each time they are asked. */
  const addresses = new WeakMap<object, string>();
  /** Callers of streams and requests that have been let through. */
  const callers = new WeakMap<object, Caller>();
  const connect = connectAdapter({
    ...accounts,
    log,
    routes(router) {
      methods = collectMethods(router, (each) => {
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
    contextValues: (request) =>
      contextOf(callers.get('stream' in request ? request.stream : request)).set(peerKey, clientOfRequest(request)),
  });
  const unknown = new Set<Socket>();
  /** Sessions end before their connections, which wait for the client's end. */
  const accepted = new Set<Socket>();
  /** Connections under TLS, whether their handshake is over or not. */
  const secured = new Set<Socket>();
  /** The connection whose session is being made: sessions do not say on which one they are. */
  let arriving: Socket | undefined;
  function accept(socket: Socket, serveHttp1: (socket: Socket) => void): void {
    unknown.add(socket);
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
    void peekProtocol(socket, FIRST_BYTE_MS).then((protocol) => {
      unknown.delete(socket);
      if (auth !== undefined) peers.set(socket, peerOfSocket(socket, options.listen.path !== undefined));
      if (protocol === 'http1') serveHttp1(socket);
      if (protocol !== 'http2') return;
      arriving = socket;
      http2.emit('connection', socket);
      arriving = undefined;
    });
  }
  const serveConnect = safely(connect);
  // The HTTP/1 server is the one that listens, so that its limits on time work; it only gets what speaks HTTP/1.
  const listener = httpListener({
    listen: options.listen,
    access,
    cors: RPC_CORS,
    log,
    maxConnections: options.maxConnections ?? 512,
    keepAliveMs: idleMs,
    handle: (request, response) => {
      if (auth === undefined || isPreflight(request)) return serveConnect(request, response);
      const peer = peers.get(request.socket);
      const caller = peer && auth.ofRequest(request, response, peer);
      if (caller === undefined) return;
      callers.set(request, caller);
      serveConnect(request, response);
    },
    route:
      options.auth?.tls === undefined
        ? accept
        : behindTls(options.auth.tls, accept, { log, secured, onSecured: (socket, raw) => guard.alias(socket, raw) }),
  });
  const { server: http1, admission, guard, rejections } = listener;
  const auth = options.auth && new AuthGate(options.auth.authenticator, rejections);

  const http2 = createHttp2(
    {
      settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 128, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: 64,
    },
    guarded(admission, connect),
  );
  // Plain unary calls are answered without Connect, everything else by it.
  const unread = new UnreadAnswers(options.maxUnreadBytes ?? 256 * 1_048_576, (unreadBytes) =>
    rejections.add('answers-unread', undefined, { unreadBytes }),
  );
  const translate = statusTranslator(log);
  const serveUnary = unaryServer(methods.unary, {
    maxMessageBytes,
    ...accounts,
    unread,
    closing: closing.signal,
    translate,
  });
  const others = http2.listeners('stream');
  http2.removeAllListeners('stream');
  function serveStream(peer: string, ...[stream, headers, ...rest]: StreamEvent): void {
    const refusal = isGrpc(headers) ? admission.gate.refusal(provenanceOf(headers, 'POST')) : undefined;
    if (refusal !== undefined) {
      rejections.add(refusal.code, peer, { message: refusal.message });
      refuseCall(stream, refusal);
      return;
    }
    if (auth !== undefined && !isPreflight({ method: headers[':method'] })) {
      const identity = stream.session && peers.get(stream.session);
      const caller = identity && auth.ofStream(stream, headers, identity);
      if (caller === undefined) return;
      callers.set(stream, caller);
    }
    if (serveUnary(stream, headers, { peer, caller: callers.get(stream) })) return;
    for (const other of others) other.call(http2, stream, headers, ...rest);
  }
  const places = new Places(options.maxStreams ?? 2_048);
  http2.on('stream', (...event) => {
    const [stream, headers] = event;
    // An error without a listener would end the process; every reader of the stream learns of its end by its close.
    stream.on('error', () => undefined);
    const { session } = stream;
    // Reset in the piece in which it was read, it is gone already, and an attempt to answer it throws.
    if (session === undefined || stream.destroyed || stream.closed || watch.isEnding(session)) return;
    const address = addresses.get(session) ?? 'local';
    const peer = admission.proxies.clientOf(headers, address);
    const leave = places.take(peer);
    if (leave === undefined) {
      rejections.add('calls-open', peer, { calls: places.size });
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    stream.once('close', leave);
    serveStream(peer, ...event);
  });
  const watch = new SessionWatch({ idleMs, requestTimeoutMs }, rejections);
  http2.on('session', (session) => {
    const peer = arriving && peers.get(arriving);
    if (peer !== undefined) peers.set(session, peer);
    addresses.set(session, peerOf(session.socket.remoteAddress) ?? 'local');
    session.setLocalWindowSize(4 * WINDOW_BYTES);
    guard.of(arriving)?.carry(watch.add(session));
  });
  http2.on('sessionError', (error) => log.debug({ err: error }, 'a connection failed'));
  const bound = await bind(http1, options.listen, options.name, options);
  const url = options.auth?.tls === undefined ? bound.url : bound.url.replace(/^http:/, 'https:');
  http1.on('error', (error) => log.error({ err: error }, 'the gRPC server failed'));

  const shutDown = (): Promise<void> =>
    new Promise((resolve) => {
      closing.abort(new Error('the server is closing'));
      const cancelCut = systemClock.after(graceMs, () => {
        gone.abort();
        watch.destroy();
        for (const socket of [...accepted, ...secured]) socket.destroy();
      });
      http1.close(() =>
        underWay.none().then(() => {
          cancelCut();
          gone.abort();
          resolve();
        }),
      );
      for (const socket of unknown) socket.destroy();
      watch.close();
      http1.closeIdleConnections();
    });
  // Certificates are shown by connections only.
  const links = options.auth?.tls === undefined ? options.links : undefined;
  const unlink = links?.add(bound.url, {
    ...methods,
    ...{ closing: closing.signal, closed: gone.signal, underWay, translate },
    admit: (headers, path, connection) => admitted(auth, headers, path, connection),
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    unlink?.();
    closed ??= shutDown();
    return closed;
  };
  options.signal?.addEventListener('abort', () => void close(), { once: true });
  if (options.signal?.aborted === true) await close();
  return { ...bound, url, health, close };
}

/** @throws {ConnectError} */
function admitted(
  auth: AuthGate | undefined,
  headers: Readonly<Record<string, string>>,
  path: string,
  connection: Caller['connection'],
): Caller {
  const peer = { address: 'this process', isLocal: true, certificate: undefined, connection };
  return auth === undefined ? { ...peer, credential: undefined } : auth.ofCall(headers, path, peer);
}

type StreamEvent = readonly [stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest: unknown[]];

interface TlsHooks {
  readonly log: Logger;
  readonly secured: Set<Socket>;
  onSecured(socket: Socket, raw: Socket): void;
}

type Route = (socket: Socket, serveHttp1: (socket: Socket) => void) => void;

/** Takes what arrives through the handshake, and hands on what comes out of it. */
function behindTls(tls: TlsMaterial, accept: Route, { log, secured, onSecured }: TlsHooks): Route {
  let serve: (socket: Socket) => void = () => undefined;
  const server = createTls({
    ...tls,
    requestCert: tls.ca !== undefined,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    handshakeTimeout: FIRST_BYTE_MS,
  });
  // The event does not say which connection the handshake was on; both ends of that have the same addresses.
  const sourceOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  const bySource = new Map<string, Socket>();
  server.on('secureConnection', (socket) => {
    const raw = bySource.get(sourceOf(socket));
    if (raw !== undefined) onSecured(socket, raw);
    accept(socket, serve);
  });
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error }, 'a TLS handshake failed');
    socket.destroy();
  });
  return (socket, serveHttp1) => {
    serve = serveHttp1;
    const source = sourceOf(socket);
    secured.add(socket);
    bySource.set(source, socket);
    socket.once('close', () => {
      secured.delete(socket);
      if (bySource.get(source) === socket) bySource.delete(source);
    });
    server.emit('connection', socket);
  };
}

/** A page asks whether it may call; nothing is called. */
function isPreflight({ method }: { readonly method?: string | undefined }): boolean {
  return method === 'OPTIONS';
}

/** Refusals of gRPC calls are answered here; other requests over HTTP/2 are answered like those over HTTP/1. */
function isGrpc({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return type?.startsWith('application/grpc') === true && !type.startsWith('application/grpc-web');
}
