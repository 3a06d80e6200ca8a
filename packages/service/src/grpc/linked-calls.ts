import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport, type UnaryResponse } from '@connectrpc/connect';
import type { LinkedServer, Links } from '../links.ts';
import { credentialHeaders, type PeerCredentials } from '../peer-auth/credentials.ts';
import { forManyListeners, MAX_TIMER_MS } from '../timing/abort.ts';
import { systemClock, turn } from '../timing/clock.ts';
import { CallContext } from './call-context.ts';
import { lost } from './lost.ts';

/*
 * Calls between two parts of one process, with the semantics of those over the wire: deadlines, cancellation, credentials,
 * statuses, and the loss of calls whose server closes. Messages are handed over without a copy, so neither side may change one.
 */

export interface LinkedOptions {
  /** Address of the server. */
  readonly url: string;
  /** Deadline of unary calls that name none. */
  readonly timeoutMs: number;
  readonly credentials: PeerCredentials;
}

type Closable = Transport & { close(): void };

/** Calls a server of this process directly while it listens, and any other one over the wire. */
export function linkedTransport(links: Links, wire: Closable, options: LinkedOptions): Closable {
  const { url, timeoutMs: standardMs, credentials } = options;
  let closed = closable();
  const begin = (server: LinkedServer, method: AnyMethod, header: AnyHeaders, ms: number) => {
    const path = toPath(method);
    const headers = {
      ...(header === undefined ? {} : Object.fromEntries(new Headers(header))),
      ...credentialHeaders(credentials),
      ':path': path,
    };
    // Two calls of one transport come over the same connection, as the server sees it.
    const caller = server.admit(headers, path, closed.connection);
    const deadline = ms > 0 ? systemClock.now() + ms : undefined;
    const context = new CallContext({ method, headers, deadline, closing: server.closing, caller, peer: 'local' });
    const leave = server.underWay.enter();
    return { context, leave };
  };

  const unary = async <I extends DescMessage, O extends DescMessage>(
    from: Links,
    isAnswered: boolean,
    ...[method, signal, ms = standardMs, header, input, values]: Parameters<typeof wire.unary<I, O>>
  ): Promise<UnaryResponse<I, O>> => {
    const server = from.find(url);
    if (server === undefined) {
      if (from.isClosed(url)) throw lost('nothing listens there');
      return wire.unary(method, signal, ms, header, input, values);
    }
    const path = toPath(method);
    const served = server.unary.get(path);
    if (served === undefined) throw new ConnectError(`no method ${path}`, Code.Unimplemented);
    const { context, leave } = begin(server, method, header, ms);
    // A call that something on the way sends again does not end with its caller.
    const caller = isAnswered ? ([signal, closed.signal] as const) : ([undefined] as const);
    const call = guarded(ms, [...caller, server.closed, ...server.lost]);
    try {
      // Other work of the event loop comes between, like for a call that arrives by a socket.
      await call.race(turn());
      const there = server.there();
      if (there !== undefined) await call.carried(there);
      const request = create(method.input, input);
      const answer = await call.race(Promise.resolve(served.implementation(request, context)));
      const back = server.back();
      if (back !== undefined) await call.carried(back);
      return {
        stream: false,
        service: method.parent,
        method,
        message: getMessage(method.output, answer),
        // Hardly any caller looks at these, and making them costs.
        get header() {
          return new Headers(context.sent.header);
        },
        get trailer() {
          return new Headers(context.sent.trailer);
        },
      };
    } catch (error) {
      if (call.cut === undefined) await call.carried(server.back());
      throw call.cut ?? getStatus(server.translate(error, path, context.signal));
    } finally {
      call.end();
      context.end(() => new ConnectError('the call is over', Code.Canceled));
      leave();
    }
  };

  return {
    unary: (...call) => links.deliver(url, (from, isAnswered) => unary(from, isAnswered, ...call)),

    async stream(method, signal, ms, header, input, values) {
      const path = toPath(method);
      const server = links.find(url);
      const served = server?.streams.get(path);
      if (server === undefined && links.isClosed(url)) throw lost('nothing listens there');
      if (server === undefined || served === undefined) return wire.stream(method, signal, ms, header, input, values);
      const there = server.there();
      const call = guarded(ms ?? 0, [signal, closed.signal, server.closed, ...server.lost]);
      if (there !== undefined) await call.carried(there).catch(call.failed);
      const request = create(method.input, await getFirst(input));
      const { context, leave } = begin(server, method, header, ms ?? 0);
      const end = (): void => {
        call.end();
        context.end(() => new ConnectError('the caller went away', Code.Canceled));
        leave();
      };
      call.onCut(end);
      const message = iterateAnswers(method.output, () => served.implementation(request, context), {
        ...{ call, end, back: server.back },
        translate: (error) => server.translate(error, path, context.signal),
      });
      return {
        ...{ stream: true, service: method.parent, method, message },
        ...{ header: new Headers(), trailer: new Headers() },
      };
    },

    close() {
      wire.close();
      closed.abort();
      // A later call is one of a new connection.
      closed = closable();
    },
  };
}

type AnyMethod = DescMethodUnary | DescMethodStreaming;
type AnyHeaders = Parameters<Transport['unary']>[3];

const toPath = (method: AnyMethod) => `/${method.parent.typeName}/${method.name}`;

function closable() {
  const controller = new AbortController();
  const { signal } = controller;
  forManyListeners(signal);
  const connection = {
    get isClosed() {
      return signal.aborted;
    },
  };
  return { signal, connection, abort: () => controller.abort() };
}

interface Answering {
  readonly call: Guarded;
  readonly translate: (error: unknown) => unknown;
  readonly end: () => void;
  readonly back: () => Promise<void> | undefined;
}

async function* iterateAnswers<T extends DescMessage>(
  type: T,
  start: () => unknown,
  { call, translate, end, back }: Answering,
): AsyncGenerator<MessageShape<T>> {
  let iterator: AsyncIterator<unknown> | undefined;
  const over = (): void => {
    end();
    // A waiting iterator ends when its context does.
    void Promise.resolve(iterator?.return?.()).catch(() => undefined);
  };
  // A reader that has gone away asks for no further value.
  call.onCut(over);
  try {
    if (call.cut !== undefined) throw call.cut;
    // The implementation of a stream returns an iterable.
    iterator = (start() as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    for (;;) {
      const next = await call.race(iterator.next());
      const way = back();
      if (way !== undefined) await call.carried(way);
      if (next.done === true) return;
      yield getMessage(type, next.value);
    }
  } catch (error) {
    if (call.cut === undefined) await call.carried(back());
    throw call.cut ?? getStatus(translate(error));
  } finally {
    over();
  }
}

function getMessage<T extends DescMessage>(type: T, value: unknown): MessageShape<T> {
  // The types of a service ensure that its result has the shape of its output message.
  return create(type, value as MessageInitShape<T>);
}

async function getFirst<T>(input: AsyncIterable<T>): Promise<T> {
  for await (const each of input) return each;
  throw new ConnectError('a call without a request', Code.InvalidArgument);
}

/** The status that crosses: without its cause, which is the server's own. */
function getStatus(error: unknown): ConnectError {
  if (!(error instanceof ConnectError)) return new ConnectError('internal error', Code.Internal);
  const { rawMessage, code, metadata, details } = error;
  const status = new ConnectError(rawMessage, code, metadata);
  status.details = details;
  return status;
}

type Guarded = ReturnType<typeof guarded>;

/** Ends the wait when its time is over, or either side goes away. */
function guarded(ms: number, [signal, ...closed]: readonly [AbortSignal | undefined, ...AbortSignal[]]) {
  let reject: ((error: ConnectError) => void) | undefined;
  const state: { cut: ConnectError | undefined; onCut?: () => void } = { cut: undefined };
  const cut = (error: ConnectError): void => {
    state.cut ??= error;
    reject?.(state.cut);
    state.onCut?.();
  };
  const cancel = (): void => {
    const reason: unknown = signal?.reason;
    const why = reason instanceof Error ? reason.message : 'the call was canceled';
    cut(new ConnectError(why, Code.Canceled, undefined, undefined, reason));
  };
  const lose = (): void => cut(lost('the connection was lost'));
  const late = (): void => cut(lost(`no answer within ${ms} ms`, undefined, Code.DeadlineExceeded));
  const stop = ms > 0 ? systemClock.after(Math.min(ms, MAX_TIMER_MS), late, true) : undefined;
  if (signal?.aborted === true) cancel();
  else if (closed.some(({ aborted }) => aborted)) lose();
  signal?.addEventListener('abort', cancel, { once: true });
  for (const each of closed) each.addEventListener('abort', lose, { once: true });
  return {
    get cut() {
      return state.cut;
    },
    onCut(then: () => void): void {
      state.onCut = then;
      if (state.cut !== undefined) then();
    },
    race<T>(work: Promise<T>): Promise<T> {
      if (state.cut !== undefined) {
        work.catch(() => undefined);
        return Promise.reject(state.cut);
      }
      return new Promise<T>((resolve, fail) => {
        reject = fail;
        work.then(resolve, fail);
      });
    },
    /** @throws {ConnectError} if the message is lost on the way. */
    async carried(way: Promise<void> | undefined): Promise<void> {
      if (way === undefined) return;
      await this.race(way.catch(lose));
      if (state.cut !== undefined) throw state.cut;
    },
    /** Lets go of everything before the call has begun. */
    failed(error: unknown): never {
      end();
      throw error;
    },
    end,
  };
  function end(): void {
    stop?.();
    signal?.removeEventListener('abort', cancel);
    for (const each of closed) each.removeEventListener('abort', lose);
  }
}
