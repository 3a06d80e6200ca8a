import type { Worker } from 'node:worker_threads';
import { backgroundThread, JsonRpcError, type Logger } from '@switchyard/service';
import { serverError } from '../rpc/errors.ts';
import type { CallThreadData, ThreadCall, ThreadMessage } from './messages.ts';

export interface CallThreadOptions {
  readonly program: URL;
  readonly data: CallThreadData;
  readonly log: Pick<Logger, 'warn'>;
  readonly maxHeapMb: number;
  readonly idleMs: number;
  readonly stuckMs: number;
}

interface Asked {
  answer(text: string): void;
  fail(error: Error): void;
}

/** A thread that is there while calls need it. One that ends before it has answered is replaced at the next call. */
export class CallThread {
  readonly #options: CallThreadOptions;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asks = 0;
  #isClosed = false;

  constructor(options: CallThreadOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#asked.size;
  }

  /** The result as JSON. @throws {JsonRpcError} */
  ask(method: string, params: unknown): Promise<string> {
    if (this.#isClosed) throw serverError('the node is stopping');
    this.#worker ??= this.#begin();
    this.#asks += 1;
    const call: ThreadCall = { id: this.#asks, method, params };
    const answered = new Promise<string>((answer, fail) => this.#asked.set(call.id, { answer, fail }));
    this.#worker.postMessage(call);
    this.#watch();
    return answered;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(serverError('the node is stopping'));
  }

  #begin(): Worker {
    const { program, data, maxHeapMb } = this.#options;
    const worker = backgroundThread(program, { data, maxHeapMb });
    // One that was ended has been forgotten before, whatever it still sends.
    const isCurrent = () => this.#worker === worker;
    worker.on('message', (message: ThreadMessage) => {
      if (isCurrent()) this.#settle(message);
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
    const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    log.warn({ err: error, calls: this.#asked.size, maxHeapMb }, 'a thread for calls has ended before its answers');
    return isFull
      ? serverError(`this call and those beside it needed more than ${maxHeapMb} MB: ask for less, or try again`)
      : error;
  }

  #settle(message: ThreadMessage): void {
    if (message !== 'alive') {
      const asked = this.#asked.get(message.id);
      this.#asked.delete(message.id);
      if ('text' in message) asked?.answer(message.text);
      else if ('error' in message)
        asked?.fail(new JsonRpcError(message.error.code, message.error.message, message.error.data));
      else asked?.fail(new Error(message.unforeseen));
    }
    this.#watch();
  }

  /** From now on the thread has so long for its next message, or to be asked again. */
  #watch(): void {
    const { idleMs, stuckMs, log } = this.#options;
    clearTimeout(this.#timer);
    const calls = this.#asked.size;
    const elapsed = () => {
      if (calls > 0) log.warn({ calls, stuckMs }, 'a thread for calls is ended: it sent no sign of life');
      void this.#end(serverError(`execution aborted: its thread did nothing else for ${stuckMs / 1_000} s`));
    };
    this.#timer = setTimeout(elapsed, calls > 0 ? stuckMs : idleMs).unref();
  }

  async #end(error: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    const unanswered = [...this.#asked.values()];
    this.#asked.clear();
    for (const { fail } of unanswered) fail(error);
    await worker?.terminate();
  }
}
