import { Code, ConnectError } from '@connectrpc/connect';
import type { CallFailure } from './collector.ts';

/** Codes with which a server says, itself, that it has not taken anything. */
const REFUSALS: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.Unimplemented,
  Code.PermissionDenied,
  Code.Unauthenticated,
]);

/** What is known after a call has failed. When in doubt it is unclear, and the same batch is sent again. */
export function failureOf(error: unknown): CallFailure {
  if (neverConnected(error)) return 'unreachable';
  if (!(error instanceof ConnectError)) return 'unclear';
  if (error.code === Code.ResourceExhausted) return 'full';
  return REFUSALS.has(error.code) ? 'refused' : 'unclear';
}

const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

function neverConnected(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth += 1) {
    if ('code' in current && NEVER_CONNECTED.has(current.code)) return true;
    if (current instanceof AggregateError) return current.errors.length > 0 && current.errors.every(neverConnected);
  }
  return false;
}
