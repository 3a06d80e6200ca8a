import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { isLoopbackPeer, peerOf } from '../access/peer.ts';
import type { Rejections } from '../rejections.ts';
import { type Activity, FairSlots, type Occupant } from './fair-slots.ts';
import { Pipeline } from './pipeline.ts';

export interface ConnectionBounds {
  readonly max: number;
  /** Of one address other than loopback. */
  readonly maxPerAddress: number;
  /** Connections of one address whose first or next request has been incomplete for more than `GRACE_MS`. */
  readonly maxIncomplete?: number;
}

const MAX_INCOMPLETE = 256;
const GRACE_MS = 2_000;

/** What carries calls of its own on a connection, such as an HTTP/2 session. */
export type Busyness = () => Pick<Occupant, 'activity' | 'since'>;

/** One connection, and what is known of the request on it. */
export class Connection implements Occupant {
  readonly peer: string;
  readonly #socket: Socket;
  readonly #accepted = performance.now();
  readonly #pipeline = new Pipeline(() => void this.#socket.destroy());
  #request: IncomingMessage | undefined;
  #response: ServerResponse | undefined;
  #began = 0;
  #busyness: Busyness | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.peer = peerOf(socket.remoteAddress) ?? 'local';
  }

  /** Calls `answer` when it is the turn of this request of HTTP/1, whose body may be incomplete. */
  begin(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    this.#pipeline.add(request, response, () => {
      this.#request = request;
      this.#response = response;
      this.#began = performance.now();
      answer();
    });
  }

  /** From now on something else knows what this connection does. */
  carry(busyness: Busyness): void {
    this.#busyness = busyness;
  }

  get activity(): Activity {
    if (this.#busyness !== undefined) return this.#busyness().activity;
    if (this.#request === undefined || !this.#request.complete) return 'incomplete';
    return this.#response?.writableFinished === false && !this.#response.destroyed ? 'busy' : 'idle';
  }

  get since(): number {
    if (this.#busyness !== undefined) return this.#busyness().since;
    return this.#request === undefined ? this.#accepted : this.#began;
  }

  /** The socket is closed. */
  end(): void {
    this.#pipeline.end();
  }

  evict(): void {
    this.#socket.destroy();
  }
}

export interface ConnectionGuard {
  /** The connection that this socket belongs to. */
  of(socket: unknown): Connection | undefined;
  /** What comes out of a handshake on `raw` is the same connection. */
  alias(socket: object, raw: object): void;
}

/**
 * Bounds the connections of a server, fairly between client addresses. Must be called before anything else listens for
 * connections of the server.
 */
export function guardConnections(server: Server, bounds: ConnectionBounds, rejections: Rejections): ConnectionGuard {
  const { max, maxPerAddress, maxIncomplete = MAX_INCOMPLETE } = bounds;
  const slots = new FairSlots<Connection>({
    max,
    maxOf: (peer) => (isLoopbackPeer(peer) ? max : maxPerAddress),
    maxIncomplete: Math.min(maxIncomplete, max),
    graceMs: GRACE_MS,
  });
  const connections = new WeakMap<object, Connection>();
  server.prependListener('connection', (socket: Socket) => {
    const connection = new Connection(socket);
    connections.set(socket, connection);
    socket.once('close', () => {
      connection.end();
      slots.leave(connection);
    });
    const evicted = slots.enter(connection);
    if (evicted !== undefined) {
      rejections.add('connection-dropped', evicted.peer, { connections: slots.size, activity: evicted.activity });
    }
  });
  return {
    of: (socket) => (typeof socket === 'object' && socket !== null ? connections.get(socket) : undefined),
    alias(socket, raw) {
      const connection = connections.get(raw);
      if (connection !== undefined) connections.set(socket, connection);
    },
  };
}
