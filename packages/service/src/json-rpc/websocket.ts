import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { findPage, toProvenance } from '../access/access.ts';
import { clientOfRequest } from '../access/client.ts';
import { FairSlots } from '../connections/fair-slots.ts';
import { RequestQueue } from '../connections/request-queue.ts';
import type { RunningHttp } from '../http/http.ts';
import { Connection } from './connection.ts';
import type { RpcContext, Subscriber } from './context.ts';
import { findLagging } from './lagging.ts';
import type { JsonRpcServer } from './server.ts';

export interface WebSocketOptions {
  readonly server: JsonRpcServer;
  /** If WebSockets are served; everywhere, if absent. */
  readonly path?: string | undefined;
  /**
   * Ends all subscriptions of a subscriber that does not read its notifications.
   *
   * @returns the replacement for them. If absent, its connection is closed.
   */
  readonly onLagging?: ((subscriber: Subscriber) => readonly string[]) | undefined;
}

/** Requests that were read in the same piece as the ones in progress. */
const MAX_WAITING = 4_096;
/** Clients send a message in one frame, or in frames of kilobytes: of one in smaller frames, as many and no more. */
const FREE_FRAGMENTS = 64;
const FRAGMENT_BYTES = 4_096;
/** A connection without a sign of life between two pings is dead, regardless of the state of its socket. */
const PING_MS = 27_000;

/** Codes of RFC 6455, section 7.4.1. */
const GOING_AWAY = 1_001;
const POLICY = 1_008;
const TRY_AGAIN_LATER = 1_013;

/**
 * Answers JSON-RPC over WebSocket on connections that an HTTP server is to upgrade.
 *
 * @returns a function that closes them.
 */
export function acceptWebSockets(http: RunningHttp, options: WebSocketOptions): () => void {
  const { server, path, onLagging } = options;
  const { bounds, clock, log } = server;
  const { rejections, turns, unread } = http;
  const { maxWebSockets: max } = bounds;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: bounds.maxBodyBytes,
    maxFragments: FREE_FRAGMENTS + Math.ceil(bounds.maxBodyBytes / FRAGMENT_BYTES),
    perMessageDeflate: false,
  });
  const slots = new FairSlots<Connection>({ max, getMax: () => max });
  const connections = new Set<Connection>();
  /** Connections that have been notified of something. */
  const notified = new Set<Connection>();

  function accept(webSocket: WebSocket, peer: string, { headers, socket }: IncomingMessage): void {
    const connection = new Connection(webSocket, peer, findPage(toProvenance(headers)), clock, {
      evict: () => connection.close(TRY_AGAIN_LATER, 'too many connections'),
      cutOff: () => connection.close(POLICY, 'answers are read too slowly'),
      onSend: () => unread.bound(connection),
      mayNotify: () => mayNotify(connection),
      turn: () => turns.take(),
    });
    connections.add(connection);
    unread.add(connection);
    webSocket.on('close', () => {
      for (const set of [connections, notified]) set.delete(connection);
      unread.remove(connection);
      slots.leave(connection);
    });
    const evicted = slots.enter(connection);
    if (evicted !== undefined) rejections.add('websocket-dropped', evicted.peer, { websockets: slots.size });
    // The library would read on, for nothing, for as long as the client sends.
    const refuse = (reason: string): void => {
      setImmediate(() => socket.pause());
      connection.close(POLICY, reason);
    };
    webSocket.on('error', (error) => {
      log.debug({ err: error }, 'a websocket failed');
      refuse('not a message');
    });
    serve(connection, refuse);
  }

  function serve(connection: Connection, refuse: (reason: string) => void): void {
    const { webSocket, peer } = connection;
    const requests = new RequestQueue<RawData>({
      ...{ turns, maxAtWork: bounds.maxAtWork, maxWaiting: MAX_WAITING },
      pause: () => webSocket.pause(),
      resume: () => webSocket.resume(),
      overflow() {
        rejections.add('requests-ahead', peer);
        refuse('too many requests sent ahead of their answers');
      },
      answer: (message) => answer(toText(message), connection),
    });
    connection.isBusy = () => requests.isBusy;
    webSocket.on('message', (message) => {
      connection.since = performance.now();
      connection.isAlive = true;
      requests.add(message);
    });
    for (const sign of ['ping', 'pong'] as const) {
      webSocket.on(sign, () => {
        connection.isAlive = true;
      });
    }
    webSocket.on('close', () => requests.close());
  }

  async function answer(body: string, connection: Connection): Promise<void> {
    if (connection.isGone()) return;
    const after: (() => void)[] = [];
    const deadline = clock.now() + bounds.requestTimeoutMs;
    const context: RpcContext = {
      from: connection,
      subscriber: connection,
      isOver: () => connection.isGone() || clock.now() > deadline,
      afterAnswer: (work) => void after.push(work),
    };
    const { text, pieces = [text], release } = await server.answer(body, context);
    const left = text === '' && pieces.length === 1 ? undefined : connection.send(pieces, release);
    await left;
    for (const work of after) work();
  }

  function mayNotify(connection: Connection): boolean {
    notified.add(connection);
    const lagging = findLagging(connection, notified, bounds);
    if (lagging === undefined) return true;
    rejections.add('notifications-unread', lagging.peer, { unsentBytes: lagging.unsentBytes });
    notified.delete(lagging);
    if (onLagging === undefined) lagging.close(POLICY, 'notifications are read too slowly');
    else for (const text of onLagging(lagging)) void lagging.send([text]);
    return lagging !== connection;
  }

  let cancelPing = clock.after(PING_MS, ping);
  function ping(): void {
    for (const connection of connections) connection.ping();
    cancelPing = clock.after(PING_MS, ping);
  }

  const stopUpgrades = http.onUpgrade((request, socket, head) => {
    if (path !== undefined && !isAt(path, request)) return notFound(socket);
    const peer = clientOfRequest(request);
    sockets.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, peer, request));
  });
  return () => {
    stopUpgrades();
    cancelPing();
    for (const connection of connections) connection.close(GOING_AWAY, 'the node stops');
    log.debug({ connections: slots.size }, 'websockets closed');
  };
}

function isAt(path: string, { url = '/' }: IncomingMessage): boolean {
  return url === path || url.startsWith(`${path}?`);
}

function notFound(socket: Duplex): void {
  socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

function toText(message: RawData): string {
  if (Array.isArray(message)) return Buffer.concat(message).toString();
  return message instanceof ArrayBuffer ? Buffer.from(message).toString() : message.toString();
}
