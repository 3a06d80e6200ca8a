import type { Worker } from 'node:worker_threads';
import { backgroundThread, JsonRpcError, type Logger } from '@switchyard/service';
import { serverError } from '../json/errors.ts';
import type { LogLine, ThreadAnswer, ThreadCall } from './messages.ts';

export interface CallThreadOptions {
  readonly program: URL;
  /** Structured-cloned. */
  readonly data: unknown;
  readonly log: Pick<Logger, 'warn'>;
  readonly maxHeapMb: number;
  readonly idleMs: number;
  readonly stuckMs: number;
  /** Keeps a thread informed that cannot read everything on its own. */
  readonly informed?: (() => Informed) | undefined;
  readonly onLine?: ((...line: LogLine) => void) | undefined;
}

/** Facts for one thread. */
export interface Informed {
  /** Before each call, all that it does not know yet. */
  news(): unknown;
  end(): void;
}

interface Asked {
  answer(pieces: readonly Uint8Array[]): void;
  fail(error: Error): void;
}

/** A thread that lives while calls need it, and has one at a time. A thread that ends without an answer is replaced at the next call. */
export class CallThread {
  readonly #options: CallThreadOptions;
  #asked: Asked | undefined;
  #worker: Worker | undefined;
  #informed: Informed | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: CallThreadOptions) {
    this.#options = options;
  }

  get isFree(): boolean {
    return this.#asked === undefined;
  }

  /** The result as JSON, of a thread that is free. @throws {JsonRpcError} */
  ask(method: string, params: unknown): Promise<readonly Uint8Array[]> {
    if (this.#isClosed) throw serverError('the node is stopping');
    this.#worker ??= this.#begin();
    const call: ThreadCall = { method, params, news: this.#informed?.news() };
    const answered = new Promise<readonly Uint8Array[]>((answer, fail) => {
      this.#asked = { answer, fail };
    });
    this.#worker.postMessage(call);
    this.#watch();
    return answered;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(serverError('the node is stopping'));
  }

  #begin(): Worker {
    const { program, data, maxHeapMb, informed } = this.#options;
    this.#informed = informed?.();
    const worker = backgroundThread(program, { data, maxHeapMb });
    // An ended one has been forgotten before, regardless of its late messages.
    const isCurrent = () => this.#worker === worker;
    worker.on('message', (answer: ThreadAnswer) => {
      if (isCurrent()) this.#settle(answer);
    });
    worker.on('error', (error: Error & { readonly code?: unknown }) => {
      if (isCurrent()) void this.#end(this.#reason(error));
    });
    worker.on('exit', (code) => {
      if (isCurrent()) void this.#end(new Error(`a thread for calls ended with code ${code}`));
    });
    return worker;
  }

  #reason(error: Error & { readonly code?: unknown }): Error {
    const { log, maxHeapMb } = this.#options;
    log.warn({ err: error, maxHeapMb }, 'a thread for calls has ended before its answer');
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
    return serverError(`this call needed more than ${maxHeapMb} MB: ask for less`);
  }

  #settle(answer: ThreadAnswer): void {
    const wanted = this.#asked;
    this.#asked = undefined;
    this.#watch();
    for (const line of answer.lines ?? []) this.#options.onLine?.(...line);
    if ('pieces' in answer) wanted?.answer(answer.pieces);
    else if ('error' in answer)
      wanted?.fail(new JsonRpcError(answer.error.code, answer.error.message, answer.error.data));
    else wanted?.fail(new Error(answer.unforeseen));
  }

  /** From now on the thread has this long for its answer, or for a sign of life. */
  #watch(): void {
    const { idleMs, stuckMs, log } = this.#options;
    clearTimeout(this.#timer);
    const { isFree } = this;
    const elapsed = () => {
      if (!isFree) log.warn({ stuckMs }, 'a thread for calls is ended: it has not answered');
      void this.#end(serverError(`execution aborted: it has not ended within ${stuckMs / 1_000} s`));
    };
    this.#timer = setTimeout(elapsed, isFree ? idleMs : stuckMs).unref();
  }

  async #end(error: Error): Promise<void> {
    const worker = this.#worker;
    const wanted = this.#asked;
    this.#worker = undefined;
    this.#informed?.end();
    this.#asked = undefined;
    clearTimeout(this.#timer);
    wanted?.fail(error);
    await worker?.terminate();
  }
}
