import { constants, createServer as createHttp2, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { CLOSED, toProvenance } from '../access/access.ts';
import { findPeer } from '../access/peer.ts';
import { ByteBudget } from '../connections/byte-budget.ts';
import { Places } from '../connections/places.ts';
import { Turns } from '../connections/turns.ts';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import type { HttpOptions } from '../http/http.ts';
import { problemAnswer, sendDirect } from '../http/http-direct.ts';
import { HttpError } from '../http/http-error.ts';
import { httpListener } from '../http/http-listener.ts';
import { bind, type Running } from '../http/listening.ts';
import { UnreadAnswers } from '../http/unread-answers.ts';
import { UnderWay } from '../links.ts';
import type { GrpcAuth } from '../peer-auth/authenticator.ts';
import type { Caller, Peer } from '../peer-auth/caller.ts';
import { peerOfSocket } from '../peer-auth/peer.ts';
import type { TlsMaterial } from '../peer-auth/tls.ts';
import { type Logger, silentLogger } from '../telemetry/log.ts';
import { forManyListeners } from '../timing/abort.ts';
import { systemClock } from '../timing/clock.ts';
import { callServer } from './call-server.ts';
import { AuthGate } from './gate.ts';
import { healthService, ServingStatus } from './health.ts';
import { collectMethods } from './methods.ts';
import { peekProtocol } from './preface.ts';
import { reflectionRoutes } from './reflection.ts';
import { refuseCall } from './refuse-call.ts';
import { SessionWatch } from './sessions.ts';
import { statusTranslator } from './status.ts';

export interface GrpcOptions
  extends Omit<HttpOptions, 'app' | 'direct' | 'log' | 'maxBodyBytes' | 'maxHeaderBytes' | 'idleMs'> {
  readonly routes: (router: ConnectRouter) => void;
  /** The services of `routes`, for health and reflection. */
  readonly services: readonly DescService[];
  /** Rules for callers; if absent, every client may call. */
  readonly auth?: GrpcAuth;
  readonly log?: Logger;
  /** Bound on each message, both ways. */
  readonly maxMessageBytes?: number;
  /** Methods whose answers may be megabytes long, and are made only while their readers take them. */
  readonly large?: readonly DescMethodUnary[];
  /** Streams of one session. */
  readonly maxConcurrentStreams?: number;
  /** Streams of all HTTP/2 sessions; one address may have half of them. */
  readonly maxStreams?: number;
  /** A connection, or a request that stays incomplete, ends after this time without a byte. */
  readonly idleMs?: number;
}

export interface RunningGrpc extends Running {
  /** Statuses that the health service reports. */
  readonly health: Pick<ServingStatus, 'set'>;
}

/** Lets 1 MiB messages through without a pause for acknowledgement on each 64 KiB, the protocol's default. */
export const WINDOW_BYTES = 4 * 1_048_576;
const FIRST_BYTE_MS = 10_000;

/**
 * Serves gRPC over cleartext HTTP/2, or TLS. Health and reflection are added; over HTTP/1 there is `GET /health`, which the original's
 * development tool asks.
 *
 * @throws {CannotListen} if the address cannot be used.
 */
export async function serveGrpc(options: GrpcOptions): Promise<RunningGrpc> {
  const { log = silentLogger, maxMessageBytes = 4 * 1_048_576, idleMs = 120_000 } = options;
  const { requestTimeoutMs = 60_000, graceMs = 2_000 } = options;
  const health = new ServingStatus(options.services.map(({ typeName }) => typeName));
  const closing = new AbortController();
  const gone = new AbortController();
  for (const { signal } of [closing, gone]) forManyListeners(signal);
  const underWay = new UnderWay();
  const methods = collectMethods((router) => {
    options.routes(router);
    router.service(Health, healthService(health));
    reflectionRoutes(router, [...options.services, Health]);
  });
  const { access = CLOSED } = options;
  /** Peers by connection and by session, if callers are authenticated. */
  const peers = new WeakMap<object, Peer>();
  /** Addresses of HTTP/2 sessions, which show another socket on each access. */
  const addresses = new WeakMap<object, string>();
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
      // HTTP/1 servers let clients close one direction; here the calls of a client that has gone would stay for ever.
      socket.allowHalfOpen = false;
      arriving = socket;
      http2.emit('connection', socket);
      arriving = undefined;
    });
  }
  // The HTTP/1 server listens, so that its limits on time work; it only gets connections that speak HTTP/1.
  const listener = httpListener({
    listen: options.listen,
    access,
    log,
    maxConnections: options.maxConnections ?? 512,
    keepAliveMs: idleMs,
    handle({ method, url }, response) {
      const isHealthy = health.of('') === true;
      if (method === 'GET' && url === '/health') response.writeHead(isHealthy ? 200 : 503).end();
      else sendDirect(response.setHeader('connection', 'close'), problemAnswer(NOT_GRPC, '/'));
    },
    route:
      options.auth?.tls === undefined
        ? accept
        : behindTls(options.auth.tls, accept, { log, secured, onSecured: (socket, raw) => guard.alias(socket, raw) }),
  });
  const { server: http1, admission, guard, rejections } = listener;
  const auth = options.auth && new AuthGate(options.auth.authenticator, rejections);

  const http2 = createHttp2({
    settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 128, initialWindowSize: WINDOW_BYTES },
    maxSessionMemory: 64,
  });
  const translate = statusTranslator(log);
  const serveCall = callServer(methods, {
    maxMessageBytes,
    budget: new ByteBudget({ maxBytes: 4 * maxMessageBytes, maxBytesOfPeer: 2 * maxMessageBytes }),
    turns: new Turns(),
    unread: new UnreadAnswers(options.maxUnreadBytes ?? 256 * 1_048_576, (unreadBytes) =>
      rejections.add('answers-unread', undefined, { unreadBytes }),
    ),
    large: new Set(options.large?.map(({ parent, name }) => `/${parent.typeName}/${name}`)),
    closing: closing.signal,
    translate,
  });
  function serveStream(peer: string, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    if (!isGrpc(headers)) {
      stream.respond({ ':status': NOT_GRPC.status }, { endStream: true });
      stream.close();
      return;
    }
    const refusal = admission.gate.refusal(toProvenance(headers, 'POST'));
    if (refusal !== undefined) {
      rejections.add(refusal.code, peer, { message: refusal.message });
      refuseCall(stream, Code.PermissionDenied, refusal.message);
      return;
    }
    const identity = stream.session && peers.get(stream.session);
    const caller = auth && identity && auth.ofStream(stream, headers, identity);
    if (auth === undefined || caller !== undefined) serveCall(stream, headers, { peer, caller });
  }
  const places = new Places(options.maxStreams ?? 2_048);
  http2.on('stream', (stream, headers) => {
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
    serveStream(peer, stream, headers);
  });
  const watch = new SessionWatch({ idleMs, requestTimeoutMs }, rejections);
  http2.on('session', (session) => {
    const peer = arriving && peers.get(arriving);
    if (peer !== undefined) peers.set(session, peer);
    addresses.set(session, findPeer(session.socket.remoteAddress) ?? 'local');
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

interface TlsHooks {
  readonly log: Logger;
  readonly secured: Set<Socket>;
  onSecured(socket: Socket, raw: Socket): void;
}

type Route = (socket: Socket, serveHttp1: (socket: Socket) => void) => void;

/** Takes connections through the TLS handshake, and hands on the secured ones. */
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
  const toSource = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  const bySource = new Map<string, Socket>();
  server.on('secureConnection', (socket) => {
    const raw = bySource.get(toSource(socket));
    if (raw !== undefined) onSecured(socket, raw);
    accept(socket, serve);
  });
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error }, 'a TLS handshake failed');
    socket.destroy();
  });
  return (socket, serveHttp1) => {
    serve = serveHttp1;
    const source = toSource(socket);
    secured.add(socket);
    bySource.set(source, socket);
    socket.once('close', () => {
      secured.delete(socket);
      if (bySource.get(source) === socket) bySource.delete(source);
    });
    server.emit('connection', socket);
  };
}

const NOT_GRPC = new HttpError(415, 'unsupported-media-type', 'calls here are gRPC (application/grpc) over HTTP/2');

function isGrpc({ ':method': method, 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return method === 'POST' && /^application\/grpc(\+proto)?\s*(;|$)/i.test(type);
}
