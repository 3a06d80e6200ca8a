import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { isTransportFailure } from '../http/transport-failure.ts';
import { credentialHeaders, type PeerCredentials } from '../peer-auth/credentials.ts';
import { MAX_TIMER_MS } from '../timing/abort.ts';
import type { Connection } from './connection.ts';
import { encodeFrame, FrameCollector } from './frame.ts';
import { toHeaders } from './headers.ts';
import { answeredWithoutStatus, lost } from './lost.ts';

/*
 * Unary gRPC calls straight on HTTP/2. Connect's own transport takes both directions through a pipeline of async
 * iterators, which costs several times as much as the call; its types, its errors and its connections are used as they
 * are, and so are its streams.
 */

export interface UnaryOptions {
  readonly url: string;
  /** Deadline of calls that name none. */
  readonly timeoutMs: number;
  readonly maxMessageBytes: number;
  readonly credentials?: PeerCredentials;
}

interface RawAnswer {
  readonly header: IncomingHttpHeaders;
  readonly trailer: IncomingHttpHeaders;
  readonly message: Uint8Array | undefined;
}

export function unaryCalls(connection: Connection, options: UnaryOptions): Transport['unary'] {
  const { timeoutMs: standardMs, maxMessageBytes, credentials = {} } = options;
  const prefix = new URL(options.url).pathname.replace(/\/+$/, '');
  return async (method, signal, ms = standardMs, header, input) => {
    const frame = encodeFrame(toBinary(method.input, create(method.input, input)), maxMessageBytes);
    const path = `${prefix}/${method.parent.typeName}/${method.name}`;
    const headers = {
      ...(header === undefined ? {} : Object.fromEntries(new Headers(header))),
      ...credentialHeaders(credentials),
      'content-type': 'application/grpc+proto',
      te: 'trailers',
      ...(ms > 0 ? { 'grpc-timeout': `${Math.min(Math.ceil(ms), 99_999_999)}m` } : {}),
    };
    const raw = await exchange(connection, { path, headers, frame, signal, ms, maxMessageBytes });
    if (raw.message === undefined)
      throw new ConnectError('protocol error: no message in the answer', Code.Unimplemented);
    const message = fromBinary(method.output, raw.message);
    return {
      stream: false,
      service: method.parent,
      method,
      message,
      // Hardly anybody looks at these, and making them costs.
      get header() {
        return toHeaders(raw.header);
      },
      get trailer() {
        return toHeaders(raw.trailer);
      },
    };
  };
}

interface Exchange {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly frame: Uint8Array;
  readonly signal: AbortSignal | undefined;
  /** 0: without end. */
  readonly ms: number;
  readonly maxMessageBytes: number;
}

/** Sends one request and collects its answer; the deadline covers opening the connection too. */
function exchange(connection: Connection, request: Exchange): Promise<RawAnswer> {
  const { path, headers, frame, signal, ms, maxMessageBytes } = request;
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream | undefined;
    let settled = false;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      return true;
    };
    const fail = (error: ConnectError): void => {
      if (!settle()) return;
      stream?.close(constants.NGHTTP2_CANCEL);
      reject(error);
    };
    const cancel = (): void => {
      const reason: unknown = signal?.reason;
      const why = reason instanceof Error ? reason.message : 'the call was canceled';
      fail(new ConnectError(why, Code.Canceled, undefined, undefined, reason));
    };
    const late = (): void => fail(lost(`no answer within ${ms} ms`, undefined, Code.DeadlineExceeded));
    const timer = ms > 0 ? setTimeout(late, Math.min(ms, MAX_TIMER_MS)) : undefined;
    if (signal?.aborted === true) return cancel();
    signal?.addEventListener('abort', cancel, { once: true });

    const receive = (opened: ClientHttp2Stream): void => {
      opened.on('error', (error) => fail(resetError(opened.rstCode, error)));
      if (settled) {
        opened.close(constants.NGHTTP2_CANCEL);
        return;
      }
      stream = opened;
      const answer = new FrameCollector(maxMessageBytes);
      let header: IncomingHttpHeaders = {};
      let trailer: IncomingHttpHeaders = {};
      opened.on('response', (received) => {
        header = received;
      });
      opened.on('trailers', (received) => {
        trailer = received;
      });
      opened.on('data', (piece: Uint8Array) => {
        connection.notifyResponseByteRead(opened);
        // The page that a proxy answers with is of no use.
        if (settled || !isGrpc(header)) return;
        try {
          answer.push(piece);
        } catch (error) {
          fail(ConnectError.from(error, Code.Internal));
        }
      });
      opened.on('end', () => {
        // A stream that was reset ends as well; its close tells.
        if (header[':status'] === undefined || opened.rstCode !== constants.NGHTTP2_NO_ERROR) return;
        try {
          const error = toError(header, trailer);
          if (error !== undefined) throw error;
          const raw = { header, trailer, message: findMessage(answer) };
          if (settle()) resolve(raw);
        } catch (error) {
          fail(ConnectError.from(error, Code.Internal));
        }
      });
      opened.on('close', () => {
        // Two errors with their stacks would be made for each call that was answered.
        if (!settled) fail(resetError(opened.rstCode));
      });
      opened.end(frame);
    };
    connection.request('POST', path, headers, {}).then(receive, (error: unknown) => fail(connectionError(error)));
  });
}

function isGrpc(header: IncomingHttpHeaders): boolean {
  return header['content-type']?.startsWith('application/grpc') === true;
}

/** Error in the status of an answer that came to its end; undefined for success. */
function toError(header: IncomingHttpHeaders, trailer: IncomingHttpHeaders): ConnectError | undefined {
  const carrier = trailer['grpc-status'] === undefined ? header : trailer;
  const grpcStatus = carrier['grpc-status'];
  if (grpcStatus === '0') return undefined;
  if (grpcStatus === undefined) return answeredWithoutStatus(Number(header[':status']));
  const status = findTrailerError(toHeaders(carrier));
  return status ?? new ConnectError(`unreadable status ${String(grpcStatus)}`, Code.Unknown);
}

/** Message of an answer; malformed frames were damaged on their way, so the call is lost. */
function findMessage(answer: FrameCollector): Uint8Array | undefined {
  try {
    return answer.finish();
  } catch (error) {
    const broken = ConnectError.from(error);
    throw broken.code === Code.ResourceExhausted ? broken : lost(broken.rawMessage, broken);
  }
}

function connectionError(error: unknown): ConnectError {
  if (error instanceof ConnectError && isTransportFailure(error)) return error;
  const { rawMessage, cause } = ConnectError.from(error);
  return lost(rawMessage, cause ?? error);
}

/** The connection or the stream ended before the answer did. */
function resetError(resetCode: number | undefined, cause?: Error): ConnectError {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  const code = resetCode === undefined || resetCode === 0 || cause !== undefined ? '' : ` (HTTP/2 error ${resetCode})`;
  return lost(`the connection was lost${why}${code}`, cause);
}
