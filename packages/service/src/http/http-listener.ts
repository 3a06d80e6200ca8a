import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Access, CLOSED, createGate } from '../access/access.ts';
import { nameClient } from '../access/client.ts';
import { Proxies } from '../access/proxies.ts';
import { type ConnectionGuard, type ConnectionRate, guardConnections } from '../connections/guard.ts';
import { forget } from '../connections/pipeline.ts';
import type { Listen } from '../settings/parsers.ts';
import { silentLogger } from '../telemetry/log.ts';
import { type RejectionLog, Rejections } from '../telemetry/rejections.ts';
import { sleep } from '../timing/abort.ts';
import { systemClock } from '../timing/clock.ts';
import { type AdmitOptions, admit, admitUpgrade } from './admit.ts';

export interface HttpListenerOptions {
  readonly listen: Listen;
  /** Rules for who may call. If absent, loopback names and IP addresses only, and no page of another origin. */
  readonly access?: Access | undefined;
  readonly log?: RejectionLog | undefined;
  readonly maxConnections?: number | undefined;
  /**
   * New connections of one address: as many at once, and this many each second. Proxies are exempt, and by default this machine.
   */
  readonly connectionRate?: ConnectionRate;
  readonly maxHeaderBytes?: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs?: number;
  readonly keepAliveMs?: number;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Decides about each new connection, if not all of them speak HTTP/1: `serve` treats it, or the result of its
   * handshake, like an HTTP/1 connection.
   */
  readonly route?: (socket: Socket, serve: (socket: Socket) => void) => void;
}

/** Many times the connections of a program that makes one for each request; tools on this machine may be faster. */
const NEWCOMERS: ConnectionRate = { burst: 2_000, perSecond: 1_000, loopback: false };

/** Takes over a connection that asked for it. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpListener {
  /** Not listening yet. */
  readonly server: Server;
  readonly guard: ConnectionGuard;
  readonly rejections: Rejections;
  readonly admission: AdmitOptions;
  /** Without a handler, upgrades are ignored. @returns a function that removes it. */
  onUpgrade(handler: UpgradeHandler): () => void;
}

/**
 * An HTTP/1 server as every listener here is one: everything that a client decides (header, time, connections) is bounded, requests
 * for other hosts and from pages that may not make them are refused, and every answer has the security headers.
 */
export function httpListener(options: HttpListenerOptions): HttpListener {
  const { listen, handle, log = silentLogger, requestTimeoutMs = 30_000, access = CLOSED } = options;
  const rejections = new Rejections(log);
  const gate = createGate(access, listen.host);
  const proxies = new Proxies(access);
  const admission: AdmitOptions = { access, gate, proxies, rejections };
  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderBytes ?? 16_384,
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
      keepAliveTimeout: options.keepAliveMs ?? 60_000,
    },
    (request, response) => {
      // Node hands out all requests that it has read, also those behind the one at which the connection was ended.
      if (request.socket.destroyed) return forget(request);
      const connection = guard.of(request.socket);
      nameClient(request, proxies);
      const answer = (): void => {
        // Its client may have gone while it waited.
        if (!response.destroyed && admit(request, response, admission)) handle(request, response);
      };
      if (connection === undefined) answer();
      else connection.begin(request, response, answer);
    },
  );
  server.maxHeadersCount = 100;
  const standard = server.listeners('connection');
  server.removeAllListeners('connection');
  const serveHttp1 = (socket: Socket): void => {
    for (const listener of standard) listener.call(server, socket);
  };
  const { route } = options;
  const serve = (socket: Socket): void => (route === undefined ? serveHttp1(socket) : route(socket, serveHttp1));
  const max = options.maxConnections ?? 1_024;
  const { maxConnectionsPerAddress: maxPerAddress } = access;
  const bounds = { max, maxPerAddress, rate: options.connectionRate ?? NEWCOMERS };
  const guard = guardConnections(server, bounds, { rejections, serve, isProxy: (peer) => proxies.includes(peer) });
  return {
    server,
    guard,
    rejections,
    admission,
    onUpgrade(handler) {
      const upgrade: UpgradeHandler = (request, socket, head) => {
        nameClient(request, proxies);
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
    const cancelCut = systemClock.after(graceMs, () => server.closeAllConnections());
    server.close(() => {
      cancelCut();
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** How long connections are still taken, and then, how long the last one has for its request. */
const LINGER = { takenMs: 1_000, lastMs: 100 } as const;

/**
 * Closes a server behind a proxy without losing a request: the proxy may be sending one on a kept connection just then.
 * So each connection has one more request answered, as its last (the caller sees to that), until the proxy uses none.
 */
export async function closeProxiedHttp(server: Server, graceMs: number): Promise<void> {
  await sleep(LINGER.takenMs);
  // Not the method of HTTP servers, which also ends connections whose first request is on its way.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await sleep(LINGER.lastMs);
  server.closeIdleConnections();
  const cancelCut = systemClock.after(graceMs, () => server.closeAllConnections());
  await closed;
  cancelCut();
}
