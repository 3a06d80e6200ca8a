import type { Worker } from 'node:worker_threads';
import { backgroundThread } from '@switchyard/service';
import { connectToWrite } from './connection.ts';
import { type Statement, Superseded } from './store.ts';
import { packed, type WriterAnswer, type WriterOptions, type WriterRequest } from './writer-messages.ts';

/** Writes to a file of SQLite, one batch after the other. */
export interface Writer {
  /** All statements or none. @throws {Superseded} */
  write(batch: readonly Statement[]): Promise<void>;
  /** After the last batch. */
  close(): Promise<void>;
}

/** How long statements of a batch run before others of the process get their turn. */
const TURN_MS = 5;

/** Writes in the thread that asks, with pauses for others. */
export function writerHere(path: string, isDerived: boolean): Writer {
  const connection = connectToWrite(path, isDerived);
  return {
    async write(batch) {
      const steps = connection.transaction(batch);
      for (let since = performance.now(); steps.next().done !== true; ) {
        if (performance.now() - since < TURN_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      }
    },
    async close() {
      connection.checkpoint();
      connection.close();
    },
  };
}

const MAX_HEAP_MB = 512;

/**
 * Writes in a thread: a commit waits for the disk, and readers of pages would wait with it. A thread that has failed is
 * replaced by the next batch.
 *
 * @param program The compiled `writer-thread`.
 */
export function writerInThread(options: WriterOptions, program: URL): Writer {
  let thread: WriterThread | undefined = new WriterThread(options, program);
  return {
    async write(batch) {
      thread = thread?.isAlive === true ? thread : new WriterThread(options, program);
      const { superseded, error } = await thread.ask(packed(batch));
      if (superseded !== undefined) throw new Superseded(superseded.sql, superseded.expected, superseded.got);
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
    },
    async close() {
      await thread?.close();
      thread = undefined;
    },
  };
}

/** A thread, given one batch at a time. */
class WriterThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #settle: (answer: WriterAnswer) => void = () => undefined;
  isAlive = true;

  constructor(options: WriterOptions, program: URL) {
    this.#worker = backgroundThread(program, { data: options, maxHeapMb: MAX_HEAP_MB });
    let reason = 'it has ended';
    this.#worker.on('message', (answer: WriterAnswer) => this.#settle(answer));
    this.#worker.on('error', ({ message }) => {
      reason = message;
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.isAlive = false;
        this.#settle({ error: { message: `the thread that writes the index: ${reason}`, code: undefined } });
        resolve();
      });
    });
  }

  ask(request: WriterRequest): Promise<WriterAnswer> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#worker.postMessage(request);
    });
  }

  /** It ends on its own once the file is closed. */
  async close(): Promise<void> {
    this.#worker.ref();
    this.#worker.postMessage('close' satisfies WriterRequest);
    await this.#ended;
  }
}
