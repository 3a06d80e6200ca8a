import { Code, ConnectError } from '@connectrpc/connect';
import { Rejected, type RejectionReason } from '@switchyard/protocol';

/** How a refusal is reported over HTTP and over gRPC. */
export interface RefusalStatus {
  readonly http: 400 | 403 | 404 | 409 | 413 | 429 | 500;
  readonly grpc: Code;
}

const INVALID: RefusalStatus = { http: 400, grpc: Code.InvalidArgument };
const FORBIDDEN: RefusalStatus = { http: 403, grpc: Code.PermissionDenied };
const MISSING: RefusalStatus = { http: 404, grpc: Code.NotFound };
const PRESENT: RefusalStatus = { http: 409, grpc: Code.AlreadyExists };
/** The state is in the way: the same request may be right at another time. */
const CONFLICT: RefusalStatus = { http: 409, grpc: Code.FailedPrecondition };
const FULL: RefusalStatus = { http: 429, grpc: Code.ResourceExhausted };

/** Statuses by reason; any reason that is not listed is a fault of the request itself. */
const STATUS: Readonly<Partial<Record<RejectionReason, RefusalStatus>>> = {
  'nonce-too-low': CONFLICT,
  'nonce-too-high': CONFLICT,
  'nonce-taken': PRESENT,
  'insufficient-balance': CONFLICT,
  'too-large': { http: 413, grpc: Code.InvalidArgument },
  'action-disabled': CONFLICT,
  unauthorized: FORBIDDEN,
  'not-a-bridge': CONFLICT,
  'already-a-bridge': PRESENT,
  'is-a-bridge': CONFLICT,
  'deposits-disabled': CONFLICT,
  'event-already-used': PRESENT,
  'unknown-validator': CONFLICT,
  'last-validator': CONFLICT,
  'already-present': PRESENT,
  'not-present': CONFLICT,
  'not-found': MISSING,
  'limit-reached': FULL,
  expired: CONFLICT,
  duplicate: PRESENT,
  bug: { http: 500, grpc: Code.Internal },
};

export function refusalStatus(reason: RejectionReason): RefusalStatus {
  return STATUS[reason] ?? INVALID;
}

/** The trailer that carries the reason of a refusal, so that our own clients never read messages for meaning. */
const REASON_HEADER = 'switchyard-reason';

/** A refusal as a gRPC status: reason and facts in the message, the reason alone in a trailer. */
export function refusalToStatus(refusal: Rejected): ConnectError {
  const metadata = { [REASON_HEADER]: refusal.reason };
  return new ConnectError(refusal.message, refusalStatus(refusal.reason).grpc, metadata, undefined, refusal);
}

/** The reason of a refusal that one of our servers answered, if the error is one. */
export function refusalReason(error: unknown): string | undefined {
  if (error instanceof Rejected) return error.reason;
  return error instanceof ConnectError ? (error.metadata.get(REASON_HEADER) ?? undefined) : undefined;
}
