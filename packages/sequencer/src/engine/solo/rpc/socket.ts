import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, FairSlots, type Occupant, peerOf, type Rejections } from '@switchyard/service';
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
const MAX_QUEUED = 4_096;
const PING_MS = 27_000;
/** Below this, pieces of a message are joined; above, they are sent as they are, so that all share what is the same. */
const JOIN_BYTES = 64 * 1024;

/** JSON-RPC over WebSocket: requests one after another, and events in between. */
export function createSockets({ dispatcher, onEnd, clock, maxMessageBytes }: SocketOptions): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
  const alive = new Map<WebSocket, boolean>();

  const slots = new FairSlots<Connected>({ max: MAX_SOCKETS, maxOf: () => MAX_SOCKETS });

  function serve(connected: Connected): void {
    const { socket } = connected;
    const subscriber = subscriberOf(socket);
    const reader = { peer: connected.peer, taker: connected, cutOff: () => socket.terminate() };
    const queue: string[] = [];
    alive.set(socket, true);

    async function work(): Promise<void> {
      connected.busy = true;
      for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
        const answer = await dispatcher.answer(body, { subscriber, reader });
        // The next request is looked at when this answer has left: a slow reader holds one answer, not many.
        if (answer !== undefined) await sent(socket, answer.text).finally(answer.release);
      }
      connected.busy = false;
      socket.resume();
    }

    socket.on('message', (data) => {
      alive.set(socket, true);
      connected.since = performance.now();
      // Without fragments of our own asking for them, the library hands over one buffer.
      queue.push(data.toString());
      if (queue.length > MAX_QUEUED) socket.terminate();
      else if (connected.busy) socket.pause();
      else void work();
    });
    socket.on('pong', () => alive.set(socket, true));
    socket.on('ping', () => alive.set(socket, true));
    // The library closes the connection; there is nobody to tell.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      alive.delete(socket);
      queue.length = 0;
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
  busy = false;
  since = performance.now();

  constructor(
    readonly socket: WebSocket,
    readonly peer: string,
  ) {}

  get activity() {
    return this.busy ? 'busy' : 'idle';
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
