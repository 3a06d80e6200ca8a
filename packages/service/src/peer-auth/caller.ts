import { createContextKey, type HandlerContext } from '@connectrpc/connect';

/** The connection that a call came over. Two calls came over the same one if this is the same object. */
export interface CallerConnection {
  readonly isClosed: boolean;
}

/** The other end of a connection, as far as the transport knows it. */
export interface Peer {
  /** For logs and comparison; without a port. */
  readonly address: string;
  /** It is on this machine: a loopback address, or a unix socket. */
  readonly isLocal: boolean;
  /** Fingerprint of a client certificate that was verified. */
  readonly certificate: string | undefined;
  readonly connection: CallerConnection;
}

/** Client that makes a call. */
export interface Caller extends Pick<Peer, 'address' | 'connection'> {
  /** Name of the credential that it has shown; undefined for a caller that was let in without. */
  readonly credential: string | undefined;
}

/** Caller of calls that come over no connection, as in tests. */
export const IN_PROCESS: Caller = { address: 'this process', connection: { isClosed: false }, credential: undefined };

/** The client's address, for limits. */
export const peerKey = createContextKey('local', { description: 'where the call comes from' });

export const callerKey = createContextKey<Caller>(IN_PROCESS, { description: 'who makes the call' });

export function peerOfCall(context: Pick<HandlerContext, 'values'>): string {
  return context.values.get(peerKey);
}

export function getCaller(context: Pick<HandlerContext, 'values'>): Caller {
  return context.values.get(callerKey);
}
