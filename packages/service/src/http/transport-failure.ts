/**
 * A call got no answer from its peer: the connection could not be made, was lost, took too long, or carried something
 * that is not the protocol. Whether the peer performed the request is not known.
 *
 * gRPC calls carry it as the cause of their `ConnectError`; other clients throw it directly.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
}

const MAX_CAUSES = 8;

/**
 * Whether a call failed between here and its peer, rather than by the peer's answer. Decided by the place in which the error was
 * made, never by its text or by its status code, which a peer may send as well.
 */
export function isTransportFailure(error: unknown): boolean {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth += 1) {
    if (current instanceof TransportFailure) return true;
    current = current.cause;
  }
  return false;
}

const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

/** Whether a call failed before there was a connection, so that its peer has certainly not seen it. */
export function neverConnected(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < MAX_CAUSES; depth += 1) {
    if ('code' in current && NEVER_CONNECTED.has(current.code)) return true;
    if (current instanceof AggregateError) return current.errors.length > 0 && current.errors.every(neverConnected);
    current = current.cause;
  }
  return false;
}
