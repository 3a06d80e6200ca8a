import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { parseTimeout, setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import type { ByteBudget } from '../connections/byte-budget.ts';
import type { Turns } from '../connections/turns.ts';
import type { AnswerReader, UnreadAnswers } from '../http/unread-answers.ts';
import { LargeAnswers } from '../json-rpc/large-answers.ts';
import type { Served } from '../links.ts';
import type { Caller } from '../peer-auth/caller.ts';
import { systemClock } from '../timing/clock.ts';
import { CallContext } from './call-context.ts';
import { encodeFrame, FrameCollector, iterateFrames, LONG_BYTES } from './frame.ts';
import { fromHeaders } from './headers.ts';
import type { Methods } from './methods.ts';
import { GRPC, refuseCall } from './refuse-call.ts';

/*
 * Calls straight on HTTP/2, for the same reason as in unary-client.ts, and so that each of them is bounded from its first byte to its last.
 */

export interface CallServerOptions {
  readonly maxMessageBytes: number;
  /** Paths of unary methods whose answers may be megabytes long, and are made only while their readers take them. */
  readonly large: ReadonlySet<string>;
  /** Memory for long messages, which are read when there is room for them and answered in turns. */
  readonly budget: ByteBudget;
  readonly turns: Turns;
  readonly unread: UnreadAnswers;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  /** Turns errors of a service into those for the caller. */
  readonly translate: (error: unknown, path: string, signal: AbortSignal) => unknown;
}

/** Client that makes a call. */
interface From {
  /** The client's address, or the network it is in. */
  readonly peer: string;
  readonly caller: Caller | undefined;
}

interface CallOptions extends CallServerOptions, From {
  readonly largeAnswers: LargeAnswers;
}

/** A request of a dialogue, of which there is no end. */
const MAX_QUESTION_BYTES = 4_096;

/** @returns a function that answers a call of gRPC. */
export function callServer({ unary, streams, dialogues }: Methods, options: CallServerOptions) {
  const large = new LargeAnswers(systemClock, options.turns);
  return (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, from: From): void => {
    const path = String(headers[':path']);
    const called = unary.get(path) ?? streams.get(path) ?? dialogues.get(path);
    const encoding = headers['grpc-encoding'] ?? 'identity';
    if (called === undefined) refuseCall(stream, Code.Unimplemented, `no method ${path}`);
    else if (encoding !== 'identity') refuseCall(stream, Code.Unimplemented, `no compression ${encoding}`);
    else new Call(stream, headers, called, { ...options, ...from, largeAnswers: large }).begin();
  };
}

/** One call, from its header to its status. */
class Call implements AnswerReader {
  readonly peer: string;
  readonly #stream: ServerHttp2Stream;
  readonly #path: string;
  readonly #called: Served<DescMethodUnary | DescMethodStreaming>;
  readonly #options: CallOptions;
  readonly #context: CallContext;
  readonly #timeoutError: ConnectError | undefined;
  #status: ConnectError | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    called: Served<DescMethodUnary | DescMethodStreaming>,
    options: CallOptions,
  ) {
    const { peer, caller, closing } = options;
    this.peer = peer;
    this.#stream = stream;
    this.#path = String(headers[':path']);
    this.#called = called;
    this.#options = options;
    const timeout = parseTimeout(String(headers['grpc-timeout'] ?? '') || null, Number.MAX_SAFE_INTEGER);
    const deadline = timeout.timeoutMs === undefined ? undefined : systemClock.now() + timeout.timeoutMs;
    this.#timeoutError = timeout.error;
    this.#context = new CallContext({ method: called.method, headers, deadline, closing, caller, peer });
  }

  get unreadBytes(): number {
    return this.#stream.writableLength;
  }

  isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  cutOff(): void {
    this.#stream.destroy();
  }

  begin(): void {
    this.#stream.once('close', () => {
      this.#options.unread.remove(this);
      this.#context.end(() => new ConnectError('the caller went away', Code.Canceled));
    });
    const { input, methodKind } = this.#called.method;
    if (this.#timeoutError !== undefined) this.#fail(this.#timeoutError);
    else if (methodKind === 'bidi_streaming') {
      this.#answerAll(this.#questions(input)).catch((error: unknown) => this.#fail(error));
    } else {
      this.#read((bytes) => {
        const request = decode(input, bytes);
        if (methodKind === 'server_streaming') return this.#answerAll(request);
        return this.#options.large.has(this.#path) ? this.#answerLarge(request) : this.#answer(request, false);
      });
    }
  }

  /** Reads the one message of the call; a long one when there is room for it, and in its turn. */
  #read(answer: (bytes: Uint8Array) => Promise<unknown>): void {
    const { maxMessageBytes, budget, turns } = this.#options;
    const stream = this.#stream;
    const request = new FrameCollector(maxMessageBytes);
    let isLong = false;
    stream.on('data', (piece: Uint8Array) => {
      if (this.#status !== undefined) return;
      try {
        request.push(piece);
      } catch (error) {
        return this.#fail(error);
      }
      if (isLong || request.stated <= LONG_BYTES) return;
      isLong = true;
      stream.pause();
      // Until it is granted, flow control keeps the rest with the client.
      stream.once(
        'close',
        budget.reserve(this.peer, request.stated, () => stream.resume()),
      );
    });
    const whole = async (): Promise<void> => {
      // A call that was reset ends too, wherever its message had got to.
      if (this.#status !== undefined || stream.aborted || this.isGone()) return;
      const bytes = request.finish();
      if (bytes === undefined) throw new ConnectError('protocol error: no message in the request', Code.Unimplemented);
      await answer(bytes);
    };
    stream.on('end', () => {
      const turn = isLong ? turns.take().then(whole) : whole();
      turn.catch((error: unknown) => this.#fail(error));
    });
  }

  async *#questions(input: DescMessage): AsyncGenerator<unknown> {
    for await (const bytes of iterateFrames(this.#stream, MAX_QUESTION_BYTES)) yield decode(input, bytes);
  }

  async #answer(request: unknown, isLarge: boolean): Promise<number> {
    const { unread, turns } = this.#options;
    unread.add(this);
    const result = await this.#called.implementation(request, this.#context);
    if (isLarge) await turns.take();
    if (this.isGone()) return 0;
    const frame = this.#encode(result);
    this.#respond();
    this.#stream.end(frame);
    unread.bound(this);
    return frame.length;
  }

  /** Its place is kept until the answer has been read; a caller that goes away while it waits has nothing made. */
  async #answerLarge(request: unknown): Promise<void> {
    const place = await this.#options.largeAnswers.enter(this);
    this.#stream.once('close', place.leave);
    if (this.isGone()) place.leave();
    else place.made(await this.#answer(request, true));
  }

  async #answerAll(request: unknown): Promise<void> {
    const { unread, turns } = this.#options;
    unread.add(this);
    this.#respond();
    // The implementation of a stream returns an iterable.
    for await (const value of this.#called.implementation(request, this.#context) as AsyncIterable<unknown>) {
      if (this.isGone()) return;
      const frame = this.#encode(value);
      const isTaken = this.#stream.write(frame);
      unread.bound(this);
      if (!isTaken) await drained(this.#stream);
      if (frame.length > LONG_BYTES) await turns.take();
    }
    if (!this.isGone()) this.#stream.end();
  }

  #encode(value: unknown): Uint8Array {
    const { output } = this.#called.method;
    // The types of a service ensure that its result has the shape of its output message.
    const message = create(output, value as MessageInitShape<DescMessage>);
    return encodeFrame(toBinary(output, message), this.#options.maxMessageBytes);
  }

  #respond(): void {
    const { header } = this.#context.sent;
    this.#stream.respond({ ...(header && fromHeaders(header)), ...GRPC }, { waitForTrailers: true });
    this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(this.#trailers()));
  }

  #trailers() {
    const { trailer } = this.#context.sent;
    if (this.#status === undefined) return { ...(trailer && fromHeaders(trailer)), 'grpc-status': '0' };
    return fromHeaders(setTrailerStatus(new Headers(trailer), this.#status));
  }

  /** An error before any answer is headers only. The rest of a request that is still coming is not waited for. */
  #fail(error: unknown): void {
    if (this.#status !== undefined) return;
    const translated = this.#options.translate(error, this.#path, this.#context.signal);
    this.#status =
      translated instanceof ConnectError
        ? translated
        : new ConnectError('internal error', Code.Internal, undefined, undefined, translated);
    if (this.isGone()) return;
    const stream = this.#stream;
    const { header } = this.#context.sent;
    if (stream.headersSent) stream.end();
    else stream.respond({ ...(header && fromHeaders(header)), ...this.#trailers(), ...GRPC }, { endStream: true });
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  }
}

/** Resolves when the client has taken the written bytes, or has gone. */
function drained(stream: ServerHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}

function decode(type: DescMessage, bytes: Uint8Array): unknown {
  try {
    return fromBinary(type, bytes);
  } catch (error) {
    throw new ConnectError(`not an encoded ${type.typeName}`, Code.InvalidArgument, undefined, undefined, error);
  }
}
