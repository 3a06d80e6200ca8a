import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { isLoopback } from '../input/loopback.ts';
import type { Peer } from './caller.ts';

/**
 * The peer of a connection that was just accepted.
 *
 * @param isUnix The listener is a unix socket, whose mode decides who can connect.
 */
export function peerOfSocket(socket: Socket, isUnix: boolean): Peer {
  const address = isUnix ? 'unix socket' : (socket.remoteAddress ?? 'unknown');
  return {
    address,
    isLocal: isUnix || isLoopback(socket.remoteAddress),
    certificate:
      socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate().fingerprint256 : undefined,
    connection: {
      get isClosed() {
        return socket.destroyed;
      },
    },
  };
}
