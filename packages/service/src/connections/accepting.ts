import type { Server, Socket } from 'node:net';
import { peerOf } from '../access/peer.ts';
import type { Rejections } from '../rejections.ts';
import type { LoopShares } from './loop-shares.ts';
import { RequestTurns } from './request-turns.ts';

/** Where nothing else is stated. */
export const MAX_UNBEGUN = 128;

export interface AcceptingOptions {
  readonly shares: LoopShares;
  readonly rejections: Rejections;
  /** The connection has its turn. Until then it is not read, and nothing but `error` is listened to. */
  readonly begin: (socket: Socket) => void;
  /** Accepted connections of one address that may wait for their first turn. */
  readonly maxUnbegun?: number;
}

/**
 * Begins connections for a short while in each round of the event loop, addresses in turn, and those of an address that uses much of the
 * time as its share allows. An address with too many that wait for that gets no more of them: the system queues
 * connections in the order in which they come, whoever they are from, so that each one that takes long to accept delays
 * all behind it.
 *
 * @param server Its `connection` event is used by this and by whatever prepends a listener.
 */
export function beginInTurn(
  server: Server,
  { shares, rejections, begin, maxUnbegun = MAX_UNBEGUN }: AcceptingOptions,
): void {
  const turns = new RequestTurns();
  const unbegun = new Map<string, number>();
  const isFull = (peer: string): boolean => {
    if ((unbegun.get(peer) ?? 0) < maxUnbegun) return false;
    rejections.add('connections-waiting', peer, { connections: maxUnbegun });
    return true;
  };
  // Read when they are begun. Until then the client's system holds on to what it has sent.
  Object.assign(server, { pauseOnConnect: true });
  server.on('listening', () => screen(server, { shares, isFull }));
  server.on('connection', (socket: Socket) => {
    if (socket.destroyed) return;
    // Until it is begun, nothing else listens.
    socket.on('error', () => undefined);
    const peer = addressOf(socket);
    unbegun.set(peer, (unbegun.get(peer) ?? 0) + 1);
    const beginTimed = (): void => {
      const left = (unbegun.get(peer) ?? 0) - 1;
      if (left > 0) unbegun.set(peer, left);
      else unbegun.delete(peer);
      if (socket.destroyed) return;
      shares.turnOf(peer);
      begin(socket);
    };
    shares.whenFree(peer, () => turns.run(peer, beginTimed));
  });
}

export const addressOf = ({ remoteAddress }: Socket): string => peerOf(remoteAddress) ?? 'local';

/** What Node has accepted and not yet made a socket of. */
interface Accepted {
  /** @returns an error number, or 0. */
  getpeername(out: { address?: string }): number;
  close(): void;
  /** Closes the connection with a reset, so that its client knows at once. @returns an error number, or 0. */
  reset(): number;
}

interface Acceptor {
  onconnection(this: Acceptor, error: number, accepted: Accepted | undefined): void;
}

interface ScreenOptions {
  readonly shares: LoopShares;
  readonly isFull: (peer: string) => boolean;
}

/**
 * Decides about each connection before Node makes a socket of it, which is most of what an accepted connection costs, and
 * charges its address with what follows. There is no public way to do so: a Node that accepts in another way serves
 * without this. accepting.test.ts fails on it.
 */
function screen(server: Server, { shares, isFull }: ScreenOptions): void {
  const acceptor: unknown = Reflect.get(server, '_handle');
  if (!isAcceptor(acceptor) || typeof server.address() === 'string') return;
  const { onconnection } = acceptor;
  acceptor.onconnection = function screened(error, accepted) {
    if (error === 0 && accepted !== undefined) {
      const name: { address?: string } = {};
      // Its client reset it before it was accepted.
      if (accepted.getpeername(name) !== 0) return accepted.close();
      const peer = peerOf(name.address) ?? 'local';
      if (isFull(peer)) {
        if (accepted.reset() !== 0) accepted.close();
        return;
      }
      shares.turnOf(peer);
    }
    onconnection.call(this, error, accepted);
  };
}

function isAcceptor(value: unknown): value is Acceptor {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'onconnection') === 'function';
}
