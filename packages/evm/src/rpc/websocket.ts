import {
  type Clock,
  FairSlots,
  FairTurns,
  type JsonRpcServer,
  type Logger,
  type Occupant,
  peerOf,
  type Rejections,
  RequestQueue,
  type RunningHttp,
  type UpgradeHandler,
} from '@switchyard/service';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { RpcBounds, RpcContext, Subscriber } from './deps.ts';
import { UnreadAnswers } from './unread-answers.ts';

export interface RpcWebSocketOptions {
  readonly server: JsonRpcServer<RpcContext>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bounds: Pick<
    RpcBounds,
    'requestTimeoutMs' | 'maxBodyBytes' | 'maxWebSockets' | 'maxUnsentBytes' | 'maxUnreadAnswerBytes'
  >;
}

/** Requests of one connection that are worked on at a time; the connection is not read while there are more. */
const MAX_AT_WORK = 64;
/** Requests that were read in the same piece as those. */
const MAX_WAITING = 4_096;
/** A connection that does not answer pings is dead, whatever the state of its socket. */
const PING_MS = 30_000;
/** What a connection that is closed by this side has to say goodbye. */
const GOODBYE_MS = 1_000;

/** Codes of RFC 6455, section 7.4.1. */
const GOING_AWAY = 1_001;
const POLICY = 1_008;
const TRY_AGAIN_LATER = 1_013;

/**
 * Answers JSON-RPC over WebSocket on connections that an HTTP server was asked to upgrade.
 *
 * @returns a function that closes them.
 */
export function acceptWebSockets(
  http: Pick<RunningHttp, 'onUpgrade' | 'rejections'>,
  options: RpcWebSocketOptions,
): () => void {
  const { bounds, log, clock } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: bounds.maxBodyBytes, perMessageDeflate: false });
  const unread = new UnreadAnswers<WebSocket>((greediest) => {
    http.rejections.add('answers-unread', undefined);
    part(greediest, POLICY, 'answers are read too slowly', clock);
  }, bounds.maxUnreadAnswerBytes);
  const turns = new FairTurns();
  const slots = new FairSlots<Connected>({ max: bounds.maxWebSockets, maxOf: () => bounds.maxWebSockets });
  const upgrade: UpgradeHandler = (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connected = new Connected(webSocket, peerOf(request.socket.remoteAddress) ?? 'local', () =>
        part(webSocket, TRY_AGAIN_LATER, 'too many connections', clock),
      );
      webSocket.on('close', () => slots.leave(connected));
      const evicted = slots.enter(connected);
      if (evicted !== undefined) http.rejections.add('websocket-dropped', evicted.peer, { websockets: slots.size });
      serve(connected, options, { unread, turns, rejections: http.rejections });
    });
  };
  const stopUpgrades = http.onUpgrade(upgrade);
  return () => {
    stopUpgrades();
    for (const webSocket of sockets.clients) part(webSocket, GOING_AWAY, 'the node stops', options.clock);
    log.debug({ connections: slots.size }, 'websockets closed');
  };
}

/** A connection and what it is doing: who has not asked anything for longest is missed least. */
class Connected implements Occupant {
  turnsTaken = 0;
  isBusy = () => false;
  since = performance.now();

  constructor(
    readonly webSocket: WebSocket,
    readonly peer: string,
    readonly evict: () => void,
  ) {}

  get activity() {
    return this.isBusy() ? 'busy' : 'idle';
  }
}

/** What all connections of a listener share. */
interface Shared {
  readonly unread: UnreadAnswers<WebSocket>;
  readonly turns: FairTurns;
  readonly rejections: Rejections;
}

function serve(
  connected: Connected,
  { server, log, clock, bounds }: RpcWebSocketOptions,
  { unread, turns, rejections }: Shared,
): void {
  const { webSocket } = connected;
  const ends: (() => void)[] = [];
  const subscriber: Subscriber = {
    notify(text) {
      if (webSocket.readyState !== webSocket.OPEN) return;
      if (webSocket.bufferedAmount <= bounds.maxUnsentBytes) {
        webSocket.send(text);
        return;
      }
      rejections.add('notifications-unread', connected.peer, { unsentBytes: webSocket.bufferedAmount });
      part(webSocket, POLICY, 'notifications are read too slowly', clock);
    },
    onEnd: (end) => void ends.push(end),
    get isGone() {
      return webSocket.readyState !== webSocket.OPEN;
    },
  };
  const answer = async (body: string): Promise<void> => {
    const after: (() => void)[] = [];
    const deadline = clock.now() + bounds.requestTimeoutMs;
    const afterAnswer = (work: () => void) => void after.push(work);
    const context = { client: connected.peer, subscriber, deadline, afterAnswer };
    const isGone = () => webSocket.readyState !== webSocket.OPEN;
    if (isGone()) return;
    const text = await server.answer(body, context, { peer: connected.peer, isGone, taker: connected });
    if (text !== undefined && webSocket.readyState === webSocket.OPEN) await sent(webSocket, text, unread);
    for (const work of after) work();
  };
  const requests = new RequestQueue<RawData>({
    ...{ turns, peer: connected.peer, taker: connected, maxAtWork: MAX_AT_WORK, maxWaiting: MAX_WAITING },
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
    overflow() {
      rejections.add('requests-ahead', connected.peer);
      part(webSocket, POLICY, 'too many requests sent ahead of their answers', clock);
    },
    answer: (message) => answer(textOf(message)),
  });
  connected.isBusy = () => requests.isBusy;
  webSocket.on('message', (message) => {
    connected.since = performance.now();
    requests.add(message);
  });
  webSocket.on('error', (error) => log.debug({ err: error }, 'a websocket failed'));
  const stopPings = keepAlive(webSocket, clock);
  webSocket.on('close', () => {
    stopPings();
    requests.close();
    for (const end of ends) end();
  });
}

/** Hands a text over. Resolves at once while the reader keeps up, otherwise when the text has left. */
function sent(webSocket: WebSocket, text: string, unread: UnreadAnswers<WebSocket>): Promise<void> | undefined {
  const isRead = unread.add(webSocket, text.length);
  if (webSocket.bufferedAmount === 0) {
    webSocket.send(text, isRead);
    return undefined;
  }
  // An error means that the connection is gone, which its `close` event reports.
  return new Promise((resolve) =>
    webSocket.send(text, () => {
      isRead();
      resolve();
    }),
  );
}

function textOf(message: RawData): string {
  if (Array.isArray(message)) return Buffer.concat(message).toString();
  return message instanceof ArrayBuffer ? Buffer.from(message).toString() : message.toString();
}

function keepAlive(webSocket: WebSocket, clock: Clock): () => void {
  let alive = true;
  webSocket.on('pong', () => {
    alive = true;
  });
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = clock.after(PING_MS, () => {
      if (!alive) return webSocket.terminate();
      alive = false;
      webSocket.ping();
      next();
    });
  };
  next();
  return () => cancel();
}

/** Ends a connection, politely first. */
function part(webSocket: WebSocket, code: number, reason: string, clock: Clock): void {
  webSocket.close(code, reason);
  const cancel = clock.after(GOODBYE_MS, () => webSocket.terminate());
  webSocket.once('close', cancel);
}
