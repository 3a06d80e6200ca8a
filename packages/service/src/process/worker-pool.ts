import type { Worker } from 'node:worker_threads';
import { hasThreads } from '../timing/clock.ts';
import { backgroundThread } from './background-thread.ts';

/** Most items that a thread is given at once; a larger batch is shared among all of them. */
const PIECE = 256;

/** A thread of a pool holds little. */
const MAX_HEAP_MB = 32;

export interface WorkerPoolOptions<I, O> {
  readonly threads: number;
  /** Program of the threads; in a process a compiled file. It answers messages in order, each with as many packed results. */
  readonly program: URL;
  /** Into a buffer of its own, which is handed over. */
  readonly pack: (items: readonly I[]) => Uint8Array<ArrayBuffer>;
  readonly unpack: (results: Uint8Array) => readonly O[];
  /** In the thread that asks, if a thread has ended without an answer. */
  readonly inline: (items: readonly I[]) => readonly O[];
  /** Fewer items are done sooner than a thread is started. */
  readonly worthAThread?: number;
}

export interface WorkerPool<I, O> {
  /** Computes the result of each item, in order. */
  run(items: readonly I[]): Promise<readonly O[]>;
  close(): Promise<void>;
}

/**
 * Computes in threads, so that the main thread stays free in the meantime. Items that a thread fails to answer are computed in the
 * thread that asks: the result is the same, only later.
 */
export function openWorkerPool<I, O>(options: WorkerPoolOptions<I, O>): WorkerPool<I, O> {
  const { program, pack, unpack, inline, worthAThread = 1 } = options;
  const threads = hasThreads() ? options.threads : 0;
  const pool = Array.from({ length: threads }, () => new PoolThread(program));
  const idlest = () => pool.filter(({ alive }) => alive).sort((a, b) => a.waiting - b.waiting)[0];
  const runPiece = async (piece: readonly I[]): Promise<readonly O[]> => {
    const thread = piece.length < worthAThread ? undefined : idlest();
    const results = await thread?.ask(pack(piece), piece.length);
    return results === undefined ? inline(piece) : unpack(results);
  };
  return {
    async run(items) {
      const size = Math.min(PIECE, Math.max(worthAThread, Math.ceil(items.length / Math.max(threads, 1))));
      const pieces: Promise<readonly O[]>[] = [];
      for (let at = 0; at < items.length; at += size) pieces.push(runPiece(items.slice(at, at + size)));
      return (await Promise.all(pieces)).flat();
    },
    async close() {
      await Promise.all(pool.map((thread) => thread.close()));
    },
  };
}

/** One thread and who waits for its answers, in order. */
class PoolThread {
  readonly #worker: Worker;
  readonly #asked: { readonly items: number; answer(results: Uint8Array | undefined): void }[] = [];
  alive = true;
  waiting = 0;

  constructor(program: URL) {
    this.#worker = backgroundThread(program, { maxHeapMb: MAX_HEAP_MB });
    this.#worker.on('message', (results: Uint8Array) => this.#settle(results));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /** Undefined when the thread has ended without an answer. */
  ask(packed: Uint8Array<ArrayBuffer>, items: number): Promise<Uint8Array | undefined> {
    this.waiting += items;
    return new Promise((resolve) => {
      this.#asked.push({ items, answer: resolve });
      this.#worker.postMessage(packed, [packed.buffer]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(results: Uint8Array | undefined): void {
    const wanted = this.#asked.shift();
    if (wanted === undefined) return;
    this.waiting -= wanted.items;
    wanted.answer(results);
  }

  #end(): void {
    this.alive = false;
    while (this.#asked.length > 0) this.#settle(undefined);
  }
}
