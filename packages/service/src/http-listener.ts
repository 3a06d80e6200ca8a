import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { sleep } from './abort.ts';
import { type Access, CLOSED, createGate } from './access/access.ts';
import { type AdmitOptions, admit, admitUpgrade, type CorsHeaders, PLAIN_CORS } from './access/admit.ts';
import { clientOfRequest, nameClient } from './access/client.ts';
import { addressOf, beginInTurn } from './connections/accepting.ts';
import { type ConnectionGuard, guardConnections } from './connections/guard.ts';
import { LoopShares, sharesOf } from './connections/loop-shares.ts';
import { readInPieces, releaseReading } from './connections/read-in-pieces.ts';
import { RequestTurns } from './connections/request-turns.ts';
import { silentLogger } from './log.ts';
import type { Listen } from './parsers.ts';
import { type RejectionLog, Rejections } from './rejections.ts';

export interface HttpListenerOptions {
  readonly listen: Listen;
  /** Who may call. If absent, loopback names and IP addresses only, and no page of another origin. */
  readonly access?: Access | undefined;
  readonly cors?: CorsHeaders;
  readonly log?: RejectionLog | undefined;
  readonly maxConnections?: number | undefined;
  readonly maxHeaderBytes?: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs?: number;
  readonly keepAliveMs?: number;
  /** Its own, if absent. */
  readonly shares?: LoopShares;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Decides about each new connection, where not all of them speak HTTP/1: `serve` treats it, or what came out of its
   * handshake, as one that does.
   */
  readonly route?: (socket: Socket, serve: (socket: Socket) => void) => void;
}

/** Takes over a connection that asked for it. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpListener {
  /** Not listening yet. */
  readonly server: Server;
  readonly guard: ConnectionGuard;
  readonly rejections: Rejections;
  /** Of the event loop's time, between the addresses of clients. */
  readonly shares: LoopShares;
  readonly admission: AdmitOptions;
  /** Without a handler, upgrades are ignored. @returns a function that removes it. */
  onUpgrade(handler: UpgradeHandler): () => void;
}

/**
 * An HTTP/1 server as every listener here is one: what a client decides (header, time, connections) is bounded, requests
 * for other hosts and from pages that may not make them are refused, and every answer has the security headers.
 */
export function httpListener(options: HttpListenerOptions): HttpListener {
  const { listen, handle, log = silentLogger, requestTimeoutMs = 30_000, access = CLOSED } = options;
  const rejections = new Rejections(log);
  const gate = createGate(access, listen.host);
  const turns = new RequestTurns();
  const shares = options.shares ?? sharesOf(access);
  const { proxyCount } = access;
  // A connection of a proxy belongs to no client, each request on it to its own.
  const ofConnections = proxyCount === 0 ? shares : new LoopShares({ share: 1 });
  const admission: AdmitOptions = { access, gate, cors: options.cors ?? PLAIN_CORS, rejections };
  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderBytes ?? 16_384,
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
      keepAliveTimeout: options.keepAliveMs ?? 60_000,
    },
    (request, response) => {
      const answer = (): void => {
        // Its client may have gone while it waited.
        if (!response.destroyed && admit(request, response, admission)) handle(request, response);
      };
      nameClient(request, proxyCount);
      const connection = guard.of(request.socket);
      if (connection === undefined) answer();
      else {
        const peer = clientOfRequest(request);
        const answerTimed = (): void => {
          shares.turnOf(peer);
          answer();
        };
        // What comes through a proxy has been read: it waits for its client's share here.
        const inTurn = (): void => turns.run(peer, answerTimed);
        connection.begin(request, response, proxyCount === 0 ? inTurn : () => shares.whenFree(peer, inTurn));
      }
    },
  );
  server.maxHeadersCount = 100;
  const standard = server.listeners('connection');
  server.removeAllListeners('connection');
  const serve = (socket: Socket): void => {
    for (const listener of standard) listener.call(server, socket);
    readInPieces(socket, ofConnections, addressOf(socket));
    socket.resume();
  };
  const { route = (socket: Socket) => serve(socket) } = options;
  const max = options.maxConnections ?? 1_024;
  beginInTurn(server, {
    ...{ shares: ofConnections, rejections, begin: (socket) => route(socket, serve) },
    ...(proxyCount === 0 ? {} : { maxUnbegun: max }),
  });
  const maxPerAddress = proxyCount === 0 ? access.maxConnectionsPerAddress : max;
  const guard = guardConnections(server, { max, maxPerAddress }, rejections);
  return {
    server,
    guard,
    rejections,
    shares,
    admission,
    onUpgrade(handler) {
      const upgrade: UpgradeHandler = (request, socket, head) => {
        releaseReading(socket);
        nameClient(request, proxyCount);
        if (!admitUpgrade(request, socket, admission)) return;
        const since = performance.now();
        guard.of(request.socket)?.carry(() => ({ activity: 'busy', since }));
        handler(request, socket, head);
      };
      server.on('upgrade', upgrade);
      return () => void server.off('upgrade', upgrade);
    },
  };
}

/** Takes no new connections, gives requests under way `graceMs`, then cuts them. */
export function closeHttp(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** How long connections are still taken, and then, how long one that was taken last has for its request. */
const LINGER = { takenMs: 1_000, lastMs: 100 } as const;

/**
 * The same behind a proxy, of which no request shall be lost. It keeps connections, and may be sending on one at the moment when that is
 * closed: so all are answered for a while, each for its last request, which the caller sees to; then none is left that the proxy uses.
 */
export async function closeProxiedHttp(server: Server, graceMs: number): Promise<void> {
  await sleep(LINGER.takenMs);
  // Not the method of HTTP servers, which also ends connections whose first request is on its way.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await sleep(LINGER.lastMs);
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
