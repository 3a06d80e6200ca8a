import { Code, ConnectError } from '@connectrpc/connect';
import { codeFromHttpStatus } from '@connectrpc/connect/protocol-grpc';
import { TransportFailure } from '../http/transport-failure.ts';

/*
 * Errors of calls that got no status from their peer. They share one status, `Unavailable` (`DeadlineExceeded` where
 * time ran out), and one cause, which distinguishes them from answers of a peer.
 */

/** A call that was lost between here and the peer. */
export function lost(why: string, cause?: unknown, code = Code.Unavailable): ConnectError {
  const failure = new TransportFailure(why, cause === undefined ? {} : { cause });
  return new ConnectError(why, code, undefined, undefined, failure);
}

/** HTTP statuses that say something of the request itself, regardless of the answering program. */
const MEANT: ReadonlySet<number> = new Set([401, 403, 404]);

/** An HTTP answer that carries no gRPC status comes from a proxy, or from a server of something else. */
export function answeredWithoutStatus(status: number): ConnectError {
  if (MEANT.has(status)) return new ConnectError(`HTTP status ${status}`, codeFromHttpStatus(status));
  return lost(status === 200 ? 'the answer has no gRPC status' : `HTTP status ${status} without a gRPC status`);
}

/**
 * Turns errors of calls that Connect makes into those of lost calls, if the peer sent no status. A status from the peer
 * carries the trailer it was read from; one without was made on this side.
 */
export function withoutStatus(error: unknown, signal: AbortSignal | undefined): unknown {
  if (!(error instanceof ConnectError) || error.metadata.has('grpc-status')) return error;
  if (signal?.aborted === true || error.cause instanceof TransportFailure) return error;
  switch (error.code) {
    case Code.Unimplemented:
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      // An HTTP answer leaves its headers in the error; a reset stream has none.
      return [...error.metadata].length > 0 ? error : lost(error.rawMessage, error);
    case Code.ResourceExhausted:
      // The limit of this side on a message.
      return error;
    case Code.DeadlineExceeded:
      return lost(error.rawMessage, error, Code.DeadlineExceeded);
    default:
      return lost(error.rawMessage, error);
  }
}
