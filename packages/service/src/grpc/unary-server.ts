import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import {
  create,
  type DescMethodStreaming,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { parseTimeout, setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { systemClock } from '../clock.ts';
import type { ByteBudget } from '../connections/byte-budget.ts';
import type { Turns } from '../connections/turns.ts';
import type { Served } from '../links.ts';
import type { Caller } from '../peer-auth/caller.ts';
import type { UnreadAnswers } from '../unread-answers.ts';
import { LONG_BYTES } from './checked-body.ts';
import { encodeFrame, FrameCollector } from './frame.ts';
import { fromHeaders } from './headers.ts';
import { UnaryContext } from './unary-context.ts';

/*
 * Unary gRPC calls straight on HTTP/2, for the same reason as in unary-client.ts. Anything else (streams, compression,
 * JSON, other protocols) is left to Connect, which has the same services.
 */

export interface UnaryServerOptions {
  readonly maxMessageBytes: number;
  /** Memory for long messages, which are read when there is room for them and answered in turns. */
  readonly budget: ByteBudget;
  readonly turns: Turns;
  readonly unread: UnreadAnswers;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  /** Turns what a service throws into what the caller gets. */
  readonly translate: (error: unknown, path: string, signal: AbortSignal) => unknown;
}

/** Methods with one request, by path. */
export interface Collected {
  readonly unary: ReadonlyMap<string, Served<DescMethodUnary>>;
  readonly streams: ReadonlyMap<string, Served<DescMethodStreaming>>;
}

/** Registers services with Connect, and remembers their methods. */
export function collectMethods(router: ConnectRouter, routes: (router: ConnectRouter) => void): Collected {
  const unary = new Map<string, Served<DescMethodUnary>>();
  const streams = new Map<string, Served<DescMethodStreaming>>();
  const register = router.service;
  router.service = (service, implementation, options) => {
    // Options change how a service is served, and only Connect knows how.
    if (options === undefined) {
      for (const { method, implementation: call } of methodsOf(service, implementation)) {
        const path = `/${service.typeName}/${method.name}`;
        if (method.methodKind === 'unary') unary.set(path, { method, implementation: call });
        if (method.methodKind === 'server_streaming') streams.set(path, { method, implementation: call });
      }
    }
    return register.call(router, service, implementation, options);
  };
  routes(router);
  router.service = register;
  return { unary, streams };
}

function* methodsOf(
  service: DescService,
  implementation: object,
): Generator<Served<DescMethodUnary | DescMethodStreaming>> {
  for (const method of service.methods) {
    const found: unknown = Reflect.get(implementation, method.localName);
    if (typeof found !== 'function') continue;
    const call = (request: unknown, context: HandlerContext): unknown =>
      Reflect.apply(found, implementation, [request, context]);
    yield { method, implementation: call } as Served<DescMethodUnary | DescMethodStreaming>;
  }
}

/** Client that makes a call. */
interface From {
  /** The client's address, or the network it is in. */
  readonly peer: string;
  readonly caller: Caller | undefined;
}

const GRPC = { ':status': 200, 'content-type': 'application/grpc+proto' };

/** @returns a function that answers a stream and returns true, or leaves it alone and returns false. */
export function unaryServer(methods: Collected['unary'], options: UnaryServerOptions) {
  return (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, { peer, caller }: From): boolean => {
    const method = methods.get(String(headers[':path']));
    if (method === undefined || !isPlainGrpc(headers)) return false;
    serveOne(stream, headers, method, { ...options, peer, caller });
    return true;
  };
}

function isPlainGrpc(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  const encoding = headers['grpc-encoding'];
  return (
    headers[':method'] === 'POST' &&
    (type === 'application/grpc' || type === 'application/grpc+proto') &&
    (encoding === undefined || encoding === 'identity')
  );
}

function serveOne(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  called: Served<DescMethodUnary>,
  options: UnaryServerOptions & From,
): void {
  const { maxMessageBytes, closing, translate, caller, budget, turns, unread, peer } = options;
  const { method, implementation } = called;
  const timeout = parseTimeout(String(headers['grpc-timeout'] ?? '') || null, Number.MAX_SAFE_INTEGER);
  const deadline = timeout.timeoutMs === undefined ? undefined : systemClock.now() + timeout.timeoutMs;
  const context = new UnaryContext({ method, headers, deadline, closing, caller });
  const request = new FrameCollector(maxMessageBytes);
  const reader = {
    peer,
    get unreadBytes() {
      return stream.writableLength;
    },
    cutOff: () => void stream.destroy(),
  };
  let isLong = false;
  let refused = false;

  const refuse = (error: unknown): void => {
    if (refused) return;
    refused = true;
    const translated = translate(error, `${headers[':path']}`, context.signal);
    const status =
      translated instanceof ConnectError
        ? translated
        : new ConnectError('internal error', Code.Internal, undefined, undefined, translated);
    answerError(stream, context, status);
  };
  const answer = async (): Promise<void> => {
    if (timeout.error !== undefined) throw timeout.error;
    const bytes = request.finish();
    if (bytes === undefined) throw new ConnectError('protocol error: no message in the request', Code.Unimplemented);
    unread.add(reader);
    const result = await implementation(decode(method, bytes), context);
    // The types of a service ensure that its result has the shape of its output message.
    const message = create(method.output, result as Parameters<typeof create<typeof method.output>>[1]);
    answerMessage(stream, context, encodeFrame(toBinary(method.output, message), maxMessageBytes));
    unread.bound(reader);
  };

  stream.on('close', () => {
    unread.remove(reader);
    context.end(() => new ConnectError('the caller went away', Code.Canceled));
  });
  stream.on('data', (piece: Uint8Array) => {
    if (refused) return;
    try {
      request.push(piece);
    } catch (error) {
      return refuse(error);
    }
    if (isLong || request.stated <= LONG_BYTES) return;
    isLong = true;
    stream.pause();
    // Until it is granted, flow control keeps the rest with the client.
    stream.once(
      'close',
      budget.reserve(peer, request.stated, () => stream.resume()),
    );
  });
  const begin = (): void => {
    // A call that was reset ends too, wherever its message had got to.
    if (!refused && !stream.aborted && !stream.closed) answer().catch(refuse);
  };
  stream.on('end', () => {
    if (isLong) void turns.take().then(begin);
    else begin();
  });
}

function decode(method: DescMethodUnary, bytes: Uint8Array): unknown {
  try {
    return fromBinary(method.input, bytes);
  } catch (error) {
    throw new ConnectError(
      `not an encoded ${method.input.typeName}`,
      Code.InvalidArgument,
      undefined,
      undefined,
      error,
    );
  }
}

function answerMessage(stream: ServerHttp2Stream, context: UnaryContext, frame: Uint8Array): void {
  if (stream.destroyed || stream.closed) return;
  const { header, trailer } = context.sent;
  const trailers: OutgoingHttpHeaders = { ...(trailer && fromHeaders(trailer)), 'grpc-status': '0' };
  stream.respond({ ...(header && fromHeaders(header)), ...GRPC }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(frame);
}

/** An error is headers only. The rest of a request that is still coming is not waited for. */
function answerError(stream: ServerHttp2Stream, context: UnaryContext, error: ConnectError): void {
  if (stream.destroyed || stream.closed) return;
  const { header, trailer } = context.sent;
  const status = setTrailerStatus(new Headers(trailer), error);
  stream.respond({ ...(header && fromHeaders(header)), ...fromHeaders(status), ...GRPC }, { endStream: true });
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}
