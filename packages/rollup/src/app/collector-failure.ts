import { Code, ConnectError } from '@connectrpc/connect';
import { isTransportFailure, neverConnected } from '@switchyard/service';
import type { CallFailure } from './collector.ts';

/** Codes by which the server itself confirms that it has accepted nothing. */
const REFUSALS: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.Unimplemented,
  Code.PermissionDenied,
  Code.Unauthenticated,
]);

/** Classifies the error of a failed call. If in doubt it is unclear, and the same batch is sent again. */
export function toFailure(error: unknown): CallFailure {
  if (neverConnected(error)) return 'unreachable';
  if (!(error instanceof ConnectError) || isTransportFailure(error)) return 'unclear';
  if (error.code === Code.ResourceExhausted) return 'full';
  return REFUSALS.has(error.code) ? 'refused' : 'unclear';
}
