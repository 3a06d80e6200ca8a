import type { Worker } from 'node:worker_threads';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { backgroundThread, defer } from '@switchyard/service';
import type { Moved } from '../chain/chain.ts';
import { packSenders, unpackSignatures } from '../senders/packing.ts';
import type { RecoverBatch } from '../senders/senders.ts';
import {
  callsBy,
  type ExecutionCalls,
  type ExecutionThreadData,
  type FromExecution,
  type ToExecution,
  toError,
} from './messages.ts';
import { Remapping } from './remapping.ts';

/** Its caches take about 100 MB, the blocks of one message of a conductor that catches up some hundreds. */
const MAX_HEAP_MB = 1_024;

export interface ExecutorThreadOptions {
  /** The compiled `worker.js`. */
  readonly program: URL;
  readonly data: Omit<ExecutionThreadData, 'remapping'>;
  readonly recover: RecoverBatch;
  /** Called for each commit, before the call that made it is answered. */
  readonly onMoved: (moved: Moved) => void;
  /** Closes the database of this thread, runs `whileClosed` and opens it again. */
  readonly remap: (whileClosed: () => void) => void;
  /** Called once, when the thread can execute no more. */
  readonly onFailure: (error: Error) => void;
}

interface Asked {
  answer(result: unknown): void;
  fail(error: Error): void;
}

/** The executor of a chain, in a thread of its own. */
export class ExecutorThread {
  readonly calls: ExecutionCalls = callsBy((name, parameters) => this.#ask(name, parameters));
  readonly #options: ExecutorThreadOptions;
  readonly #worker: Worker;
  readonly #remapping: Remapping;
  readonly #asked = new Map<number, Asked>();
  #found: (readonly [Hash, Address])[] = [];
  #asks = 0;
  #closed: (() => void) | undefined;
  #failure: Error | undefined;

  constructor(options: ExecutorThreadOptions) {
    this.#options = options;
    const remapping = new SharedArrayBuffer(4);
    this.#remapping = new Remapping(remapping);
    const data: ExecutionThreadData = { ...options.data, remapping };
    this.#worker = backgroundThread(options.program, { data, maxHeapMb: MAX_HEAP_MB, nicerBy: 0 });
    this.#worker.on('message', (message: FromExecution) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`the thread that executes blocks ended with code ${code}`)));
  }

  /** Senders that are known here need not be recovered there. They are sent together, once a turn. */
  learn(hash: Hash, address: Address): void {
    if (this.#found.length === 0) defer(() => this.#sendFound());
    this.#found.push([hash, address]);
  }

  /** When its work has ended and its database is closed. */
  async close(): Promise<void> {
    if (this.#failure === undefined) {
      const closed = new Promise<void>((resolve) => {
        this.#closed = resolve;
      });
      this.#send({ kind: 'close' });
      await closed;
    }
    this.#end(new Error('the node is stopping'));
    await this.#worker.terminate();
  }

  #ask(name: keyof ExecutionCalls, parameters: unknown[]): Promise<unknown> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#asks += 1;
    const id = this.#asks;
    const answered = new Promise<unknown>((answer, fail) => this.#asked.set(id, { answer, fail }));
    this.#send({ kind: 'call', id, name, parameters });
    return answered;
  }

  #send(message: ToExecution): void {
    this.#worker.postMessage(message);
  }

  #sendFound(): void {
    this.#send({ kind: 'senders', found: this.#found });
    this.#found = [];
  }

  #receive(message: FromExecution): void {
    const { onMoved, recover, remap, onFailure } = this.#options;
    switch (message.kind) {
      case 'answer':
        this.#take(message.id)?.answer(message.result);
        return;
      case 'error':
        this.#take(message.id)?.fail(toError(message.error));
        return;
      case 'moved':
        onMoved(message.moved);
        return;
      case 'recover':
        void recover(unpackSignatures(message.signatures)).then((senders) =>
          this.#send({ kind: 'recovered', id: message.id, senders: packSenders(senders) }),
        );
        return;
      case 'damaged':
        onFailure(toError(message.error));
        return;
      case 'remap':
        remap(() => this.#remapping.closedHere());
        return;
      case 'closed':
        this.#closed?.();
    }
  }

  #take(id: number): Asked | undefined {
    const wanted = this.#asked.get(id);
    this.#asked.delete(id);
    return wanted;
  }

  #fail(error: Error): void {
    this.#closed?.();
    if (this.#failure !== undefined) return;
    this.#end(error);
    this.#options.onFailure(new Error('the thread that executes blocks has ended', { cause: error }));
  }

  #end(error: Error): void {
    this.#failure ??= error;
    for (const { fail } of this.#asked.values()) fail(error);
    this.#asked.clear();
  }
}
