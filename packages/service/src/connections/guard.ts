import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { findPeer, isLoopbackPeer } from '../access/peer.ts';
import type { Rejections } from '../telemetry/rejections.ts';
import { type RateBounds, RateLimit } from '../timing/rate-limit.ts';
import { type Activity, FairSlots, type Occupant } from './fair-slots.ts';
import { Pipeline } from './pipeline.ts';

export interface ConnectionBounds {
  readonly max: number;
  /** Bound for one address other than loopback. */
  readonly maxPerAddress: number;
  /** Connections of one address whose first or next request has been incomplete for more than `GRACE_MS`. */
  readonly maxIncomplete?: number;
  /** Bound for the new connections of one address; none, if absent. */
  readonly rate?: ConnectionRate | undefined;
}

export interface ConnectionRate extends Pick<RateBounds, 'burst' | 'perSecond'> {
  /** Whether connections from this machine count. */
  readonly loopback: boolean;
}

const MAX_INCOMPLETE = 256;
const GRACE_MS = 2_000;
/** Time for which a connection whose client sent too many requests ahead stays, unread. */
const LINGER_MS = 1_000;
const MAX_CLIENTS = 4_096;

/** Reports the activity of a protocol that carries calls of its own on a connection, such as HTTP/2. */
export type Busyness = () => Pick<Occupant, 'activity' | 'since'>;

/** Part of the descriptors of this process that its clients may take; the others are for files, and for connections that it makes. */
const SHARE_OF_CLIENTS = 0.5;
let clientsOfProcess: FairSlots<Connection> | undefined;

/** Places of all listeners of this process together. */
function placesOfProcess(): FairSlots<Connection> {
  if (clientsOfProcess !== undefined) return clientsOfProcess;
  // Two things that the types of Node leave out. Without the first, names of connected machines would be resolved.
  const report: { getReport(): { userLimits?: { open_files?: { soft?: unknown } } } } = Object.assign(process.report, {
    excludeNetwork: true,
  });
  const { userLimits } = report.getReport();
  // There is no number on a system without a limit.
  const max = Math.floor(SHARE_OF_CLIENTS * (Number(userLimits?.open_files?.soft) || Number.POSITIVE_INFINITY));
  clientsOfProcess = new FairSlots({ max, getMax: () => max });
  return clientsOfProcess;
}

/** One connection, and the known facts about the request on it. */
export class Connection implements Occupant {
  readonly peer: string;
  readonly #socket: Socket;
  readonly #accepted = performance.now();
  readonly #pipeline = new Pipeline(() => this.#linger());
  #request: IncomingMessage | undefined;
  #response: ServerResponse | undefined;
  #began = 0;
  #busyness: Busyness | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.peer = findPeer(socket.remoteAddress) ?? 'local';
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

  /** From now on another owner knows the activity of this connection. */
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

  /**
   * Ends the connection later. If it ended at once, its client could have the next one parsed at once; this way it has its
   * place for nothing, which others may take.
   */
  #linger(): void {
    this.carry(() => ({ activity: 'incomplete', since: this.#accepted }));
    // The end of an answer makes Node read on.
    this.#socket.on('resume', () => this.#socket.pause());
    this.#socket.pause();
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }
}

export interface ConnectionGuard {
  /** The connection that this socket belongs to. */
  of(socket: unknown): Connection | undefined;
  /** Registers the result of a handshake on `raw` as the same connection. */
  alias(socket: object, raw: object): void;
}

/**
 * Bounds the connections of a server, fairly between client addresses, and hands on the accepted ones: parsing a connection
 * for nothing costs more than twice as much as refusing it.
 *
 * @param serve Takes a connection that is let in. Nothing else may listen for connections of the server.
 */
export function guardConnections(
  server: Server,
  bounds: ConnectionBounds,
  {
    rejections,
    serve,
    isProxy,
  }: {
    readonly rejections: Rejections;
    readonly serve: (socket: Socket) => void;
    /** A peer whose connections are those of all clients. */
    readonly isProxy: (peer: string) => boolean;
  },
): ConnectionGuard {
  const { max, maxPerAddress, maxIncomplete = MAX_INCOMPLETE, rate } = bounds;
  const newcomers = rate && new RateLimit({ ...rate, maxClients: MAX_CLIENTS });
  const slots = new FairSlots<Connection>({
    max,
    getMax: (peer) => (isLoopbackPeer(peer) || isProxy(peer) ? max : maxPerAddress),
    maxIncomplete: Math.min(maxIncomplete, max),
    graceMs: GRACE_MS,
  });
  const shared = [slots, placesOfProcess()];
  const connections = new WeakMap<object, Connection>();
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket);
    const { peer } = connection;
    const counts = rate !== undefined && (rate.loopback || !isLoopbackPeer(peer)) && !isProxy(peer);
    if (counts && newcomers?.take(peer, 1, performance.now()) === false) {
      rejections.add('connections-new', peer, { burst: rate.burst, perSecond: rate.perSecond });
      socket.destroy();
      return;
    }
    connections.set(socket, connection);
    socket.once('close', () => {
      connection.end();
      for (const places of shared) places.leave(connection);
    });
    for (const places of shared) {
      const evicted = socket.destroyed ? undefined : places.enter(connection);
      if (evicted === undefined) continue;
      rejections.add('connection-dropped', evicted.peer, { connections: places.size, activity: evicted.activity });
    }
    if (!socket.destroyed) serve(socket);
  });
  return {
    of: (socket) => (typeof socket === 'object' && socket !== null ? connections.get(socket) : undefined),
    alias(socket, raw) {
      const connection = connections.get(raw);
      if (connection !== undefined) connections.set(socket, connection);
    },
  };
}
