import { Code, ConnectError } from '@connectrpc/connect';
import { type Facts, ForeseenError, Rejected } from '@switchyard/protocol';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { clientOf } from '../access/client.ts';
import { errorLine } from '../telemetry/error-line.ts';
import { ENDS_NOW, findExitCode } from '../telemetry/exit-code.ts';
import type { Logger } from '../telemetry/log.ts';
import { getFailures } from '../telemetry/rejections.ts';
import { errorAnswer } from './problem.ts';
import { refusalReason, refusalStatus } from './refusal.ts';

/** An answer other than the requested one, with its status: for the edge, if `Rejected` has no word for it. */
export class HttpError extends ForeseenError {
  override readonly name = 'HttpError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly facts: Facts = {},
  ) {
    super(message);
  }
}

/** Maps an error to its HTTP answer. An unexpected one is 500, and its message stays in the log. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof Rejected)
    return new HttpError(refusalStatus(error.reason).http, error.reason, error.message, error.facts);
  if (error instanceof HTTPException) return new HttpError(error.status, CODES[error.status] ?? 'error', error.message);
  if (error instanceof ConnectError) return upstreamError(error);
  if (findExitCode(error) !== undefined) return new HttpError(503, 'unavailable', ENDS_NOW);
  return new HttpError(500, 'internal', 'internal error; see the log of this process');
}

/** Answers an error as JSON, and logs an unexpected one. */
export function answerError(error: unknown, c: Context, log?: Logger): Response {
  const answer = toHttpError(error);
  if (answer.status >= 500 && log !== undefined) {
    // A refusal has no stack of its own.
    const stack = error instanceof Rejected && error.cause instanceof Error ? error.cause.stack : undefined;
    const fields = { err: error, method: c.req.method, path: c.req.path, stack };
    const reason = answer.code === 'internal' ? errorLine(error).slice(0, 100) : answer.code;
    getFailures(log).requests.add(reason, clientOf(c.env), fields);
  }
  return errorResponse(answer, c.req.path);
}

/** @param path Of the request: below /v1, errors are problem documents. */
export function errorResponse(error: HttpError, path = '/'): Response {
  const { type, body } = errorAnswer(error, path);
  return new Response(body, { status: error.status, headers: { 'content-type': type, ...retryAfter(error) } });
}

/** The fact `againInSeconds` as a header (RFC 9110, 10.2.3). A client that is limited has something again after a second. */
export function retryAfter({ status, facts }: HttpError): Record<string, string> {
  if (typeof facts.againInSeconds === 'number') return { 'retry-after': String(facts.againInSeconds) };
  return status === 429 ? { 'retry-after': '1' } : {};
}

const CODES: Readonly<Record<number, string>> = {
  400: 'malformed',
  404: 'not-found',
  405: 'method-not-allowed',
  413: 'too-large',
  415: 'unsupported-media-type',
  429: 'limit-reached',
};

/** A process behind this one answered with a status, which is passed on if it concerns the caller. */
function upstreamError(error: ConnectError): HttpError {
  const code = refusalReason(error);
  switch (error.code) {
    case Code.InvalidArgument:
      return new HttpError(400, code ?? 'malformed', error.rawMessage);
    case Code.PermissionDenied:
      return new HttpError(403, code ?? 'unauthorized', error.rawMessage);
    case Code.NotFound:
      return new HttpError(404, code ?? 'not-found', error.rawMessage);
    case Code.AlreadyExists:
    case Code.FailedPrecondition:
      return new HttpError(409, code ?? 'conflict', error.rawMessage);
    case Code.ResourceExhausted:
      return new HttpError(429, code ?? 'limit-reached', error.rawMessage);
    case Code.Unavailable:
      return new HttpError(503, 'unavailable', 'a process that this one needs does not answer; try again later');
    case Code.DeadlineExceeded:
    case Code.Canceled:
      return new HttpError(504, 'timeout', 'a process that this one needs did not answer in time; try again later');
    default:
      return new HttpError(502, 'upstream', 'a process that this one needs failed');
  }
}
