import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { codeFromHttpStatus, findTrailerError } from '@connectrpc/connect/protocol-grpc';
import type { Http2SessionManager } from '@connectrpc/connect-node';
import { encodeFrame, FrameCollector } from './frame.ts';
import { toHeaders } from './headers.ts';

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
}

interface RawAnswer {
  readonly header: IncomingHttpHeaders;
  readonly trailer: IncomingHttpHeaders;
  readonly message: Uint8Array | undefined;
}

export function unaryCalls(sessions: Http2SessionManager, options: UnaryOptions): Transport['unary'] {
  const { timeoutMs: standardMs, maxMessageBytes } = options;
  const prefix = new URL(options.url).pathname.replace(/\/+$/, '');
  return async (method, signal, ms = standardMs, header, input) => {
    const frame = encodeFrame(toBinary(method.input, create(method.input, input)), maxMessageBytes);
    const path = `${prefix}/${method.parent.typeName}/${method.name}`;
    const headers = {
      ...(header === undefined ? {} : Object.fromEntries(new Headers(header))),
      'content-type': 'application/grpc+proto',
      te: 'trailers',
      ...(ms > 0 ? { 'grpc-timeout': `${Math.min(Math.ceil(ms), 99_999_999)}m` } : {}),
    };
    const raw = await exchange(sessions, { path, headers, frame, signal, ms, maxMessageBytes });
    const error = errorOf(raw);
    if (error !== undefined) throw error;
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
function exchange(sessions: Http2SessionManager, request: Exchange): Promise<RawAnswer> {
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
    const late = (): void => fail(new ConnectError(`no answer within ${ms} ms`, Code.DeadlineExceeded));
    const timer = ms > 0 ? setTimeout(late, ms) : undefined;
    if (signal?.aborted === true) return cancel();
    signal?.addEventListener('abort', cancel, { once: true });

    const receive = (opened: ClientHttp2Stream): void => {
      opened.on('error', (error) => fail(lostError(opened.rstCode, error)));
      if (settled) {
        opened.close(constants.NGHTTP2_CANCEL);
        return;
      }
      stream = opened;
      const answer = new FrameCollector(maxMessageBytes);
      let header: IncomingHttpHeaders = {};
      let trailer: IncomingHttpHeaders = {};
      const attempt = (step: () => void): void => {
        try {
          step();
        } catch (error) {
          fail(ConnectError.from(error, Code.Internal));
        }
      };
      opened.on('response', (received) => {
        header = received;
      });
      opened.on('trailers', (received) => {
        trailer = received;
      });
      opened.on('data', (piece: Uint8Array) => {
        sessions.notifyResponseByteRead(opened);
        attempt(() => answer.push(piece));
      });
      opened.on('end', () => {
        // A stream that was reset ends as well; its close tells.
        if (header[':status'] === undefined || opened.rstCode !== constants.NGHTTP2_NO_ERROR) return;
        attempt(() => {
          const raw = { header, trailer, message: answer.finish() };
          if (settle()) resolve(raw);
        });
      });
      opened.on('close', () => fail(lostError(opened.rstCode)));
      opened.end(frame);
    };
    sessions
      .request('POST', path, headers, {})
      .then(receive, (error: unknown) => fail(ConnectError.from(error, Code.Unavailable)));
  });
}

function errorOf({ header, trailer }: RawAnswer): ConnectError | undefined {
  const status = Number(header[':status']);
  const carrier = trailer['grpc-status'] === undefined ? header : trailer;
  const grpcStatus = carrier['grpc-status'];
  if (grpcStatus === '0') return undefined;
  if (grpcStatus !== undefined) {
    const headers = toHeaders(carrier);
    return findTrailerError(headers) ?? new ConnectError(`unreadable status ${String(grpcStatus)}`, Code.Unknown);
  }
  if (status !== 200) return new ConnectError(`HTTP status ${status}`, codeFromHttpStatus(status));
  return new ConnectError('protocol error: no status in the answer', Code.Internal);
}

/** The connection or the stream ended before the answer did. */
function lostError(resetCode: number | undefined, cause?: Error): ConnectError {
  const error = (code: Code) => {
    const why = cause === undefined ? 'the connection was lost' : `the connection was lost: ${cause.message}`;
    return new ConnectError(why, code, undefined, undefined, cause);
  };
  switch (resetCode) {
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
      return error(Code.ResourceExhausted);
    case constants.NGHTTP2_PROTOCOL_ERROR:
    case constants.NGHTTP2_INTERNAL_ERROR:
    case constants.NGHTTP2_FLOW_CONTROL_ERROR:
    case constants.NGHTTP2_FRAME_SIZE_ERROR:
    case constants.NGHTTP2_COMPRESSION_ERROR:
      return error(Code.Internal);
    default:
      return error(Code.Unavailable);
  }
}
