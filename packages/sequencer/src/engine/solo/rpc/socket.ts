import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type Clock,
  FairSlots,
  FairTurns,
  type Occupant,
  peerOf,
  type Rejections,
  RequestQueue,
} from '@switchyard/service';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Dispatcher } from './dispatch.ts';
import type { Subscriber } from './method.ts';

export interface SocketOptions {
  readonly dispatcher: Dispatcher;
  /** Called when a connection has ended. */
  onEnd(subscriber: Subscriber): void;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
}

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, rejections: Rejections): void;
  close(): void;
}

const MAX_SOCKETS = 256;
/** Messages that came faster than they are answered; a client with more of them does not wait for answers at all. */
const MAX_WAITING = 4_096;
const PING_MS = 27_000;
/** Below this, pieces of a message are joined; above, they are sent as they are, so that all share what is the same. */
const JOIN_BYTES = 64 * 1024;

/** JSON-RPC over WebSocket: requests one after another, and events in between. */
export function createSockets({ dispatcher, onEnd, clock, maxMessageBytes }: SocketOptions): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
  const alive = new Map<WebSocket, boolean>();

  const turns = new FairTurns();
  const slots = new FairSlots<Connected>({ max: MAX_SOCKETS, maxOf: () => MAX_SOCKETS });

  function serve(connected: Connected): void {
    const { socket } = connected;
    const subscriber = subscriberOf(socket);
    const reader = { peer: connected.peer, taker: connected, cutOff: () => socket.terminate() };
    // A slow reader holds one answer, not many: the next request is begun when the answer before it has left.
    const requests = new RequestQueue<string>({
      ...{ turns, peer: connected.peer, taker: connected, maxAtWork: 1, maxWaiting: MAX_WAITING },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      overflow: () => socket.terminate(),
      async answer(body) {
        const answer = await dispatcher.answer(body, { subscriber, reader });
        if (answer !== undefined) await sent(socket, answer.text).finally(answer.release);
      },
    });
    connected.isBusy = () => requests.isBusy;
    alive.set(socket, true);

    socket.on('message', (data) => {
      alive.set(socket, true);
      connected.since = performance.now();
      // The library hands over one buffer, since it was not asked for fragments.
      requests.add(data.toString());
    });
    socket.on('pong', () => alive.set(socket, true));
    socket.on('ping', () => alive.set(socket, true));
    // The library closes the connection, so the client cannot be notified any more.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      alive.delete(socket);
      requests.close();
      onEnd(subscriber);
    });
  }

  let cancelPing = clock.after(PING_MS, ping);
  function ping(): void {
    for (const [socket, answered] of alive) {
      if (!answered) socket.terminate();
      else {
        alive.set(socket, false);
        socket.ping();
      }
    }
    cancelPing = clock.after(PING_MS, ping);
  }

  return {
    upgrade(request, socket, head, rejections) {
      server.handleUpgrade(request, socket, head, (upgraded) => {
        const connected = new Connected(upgraded, peerOf(request.socket.remoteAddress) ?? 'local');
        upgraded.on('close', () => slots.leave(connected));
        const evicted = slots.enter(connected);
        if (evicted !== undefined) rejections.add('websocket-dropped', evicted.peer, { websockets: slots.size });
        serve(connected);
      });
    },
    close() {
      cancelPing();
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

/** A connection and what it is doing: who has not asked anything for longest is missed least. */
class Connected implements Occupant {
  turnsTaken = 0;
  isBusy = () => false;
  since = performance.now();

  constructor(
    readonly socket: WebSocket,
    readonly peer: string,
  ) {}

  get activity() {
    return this.isBusy() ? 'busy' : 'idle';
  }

  evict(): void {
    this.socket.terminate();
  }
}

function subscriberOf(socket: WebSocket): Subscriber {
  return {
    get buffered() {
      return socket.bufferedAmount;
    },
    send(pieces) {
      if (socket.readyState !== socket.OPEN) return;
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (length <= JOIN_BYTES) {
        socket.send(
          pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString())).join(''),
        );
        return;
      }
      for (const [index, piece] of pieces.entries()) {
        socket.send(piece, { binary: false, fin: index === pieces.length - 1 });
      }
    },
  };
}

/** Resolves when the text has left, or never will. */
function sent(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.OPEN) socket.send(text, () => resolve());
    else resolve();
  });
}
