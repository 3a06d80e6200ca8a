import type { IncomingHttpHeaders } from 'node:http2';
import type { DescMethodStreaming, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type ContextValues, type HandlerContext } from '@connectrpc/connect';
import { type Caller, peerKey } from '../peer-auth/caller.ts';
import { forManyListeners, MAX_TIMER_MS } from '../timing/abort.ts';
import { systemClock } from '../timing/clock.ts';
import { getContext } from './gate.ts';
import { toHeaders } from './headers.ts';

export interface CallContextInit {
  readonly method: DescMethodUnary | DescMethodStreaming;
  readonly headers: IncomingHttpHeaders;
  /** Moment of `systemClock` at which the caller stops waiting. */
  readonly deadline: number | undefined;
  readonly closing: AbortSignal;
  readonly caller: Caller | undefined;
  /** The client's address. */
  readonly peer: string;
}

/** Context of a call, for its handler. Most handlers use none of it, so everything is made on demand. */
export class CallContext implements HandlerContext {
  readonly method: DescMethodUnary | DescMethodStreaming;
  readonly requestMethod = 'POST';
  readonly protocolName = 'grpc';
  readonly #init: CallContextInit;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;
  #controller: AbortController | undefined;
  #stopTimer: (() => void) | undefined;
  #ended: (() => unknown) | undefined;

  constructor(init: CallContextInit) {
    this.method = init.method;
    this.#init = init;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get url(): string {
    const { ':authority': authority = 'localhost', ':path': path = '/' } = this.#init.headers;
    return `http://${authority}${path}`;
  }

  readonly timeoutMs = (): number | undefined => {
    const { deadline } = this.#init;
    return deadline === undefined ? undefined : deadline - systemClock.now();
  };

  get requestHeader(): Headers {
    this.#requestHeader ??= toHeaders(this.#init.headers);
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  get values(): ContextValues {
    this.#values ??= getContext(this.#init.caller).set(peerKey, this.#init.peer);
    return this.#values;
  }

  /** Aborts when the caller goes away, its deadline is over, the server closes, or the call is done. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    forManyListeners(controller.signal);
    this.#controller = controller;
    const { closing } = this.#init;
    const rest = this.timeoutMs();
    if (this.#ended !== undefined) controller.abort(this.#ended());
    else if (closing.aborted) controller.abort(closing.reason);
    else {
      closing.addEventListener('abort', this.#close, { once: true });
      if (rest !== undefined)
        this.#stopTimer = systemClock.after(Math.max(0, Math.min(rest, MAX_TIMER_MS)), this.#late);
    }
    return controller.signal;
  }

  /** Headers and trailers that the handler wants to be sent besides its answer, if any. */
  get sent(): { readonly header: Headers | undefined; readonly trailer: Headers | undefined } {
    return { header: this.#responseHeader, trailer: this.#responseTrailer };
  }

  /** The call is over; work for it may stop. The reason is made only for listeners. */
  end(reason: () => unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#stopTimer?.();
    this.#init.closing.removeEventListener('abort', this.#close);
    this.#controller?.abort(reason());
  }

  readonly #close = (): void => this.end(() => this.#init.closing.reason);
  readonly #late = (): void => this.end(() => new ConnectError('the deadline is over', Code.DeadlineExceeded));
}
