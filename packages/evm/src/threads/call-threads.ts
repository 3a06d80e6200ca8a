import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Logger } from '@switchyard/service';
import { JsonText } from '../rpc/json-text.ts';
import { CallThread } from './call-thread.ts';
import type { CallThreadData } from './messages.ts';

/** Threads in which calls are answered that would hold up the one that answers everything else. */
export interface CallThreads {
  /** @throws {JsonRpcError} what the method answers, or that its thread has ended. */
  answer(method: string, params: unknown): Promise<JsonText>;
  /** Calls that have no answer yet get none. */
  close(): Promise<void>;
}

export interface CallThreadsOptions {
  /** The compiled `worker.js`. */
  readonly program: URL;
  readonly data: CallThreadData;
  readonly log: Pick<Logger, 'warn'>;
  /** Other than what the machine suggests. */
  readonly count?: number;
  readonly maxHeapMb?: number;
  /** A thread without anything to answer ends after so long, and gives its memory back. */
  readonly idleMs?: number;
  /** A thread that has something to answer and sends no sign of life for so long is ended. */
  readonly stuckMs?: number;
}

const IDLE_MS = 30_000;
const STUCK_MS = 20_000;
const MEBIBYTE = 1_048_576;

/** Begins no thread before one is needed. */
export function openCallThreads(options: CallThreadsOptions): CallThreads {
  const { count = usualCount(), maxHeapMb = usualHeap(), idleMs = IDLE_MS, stuckMs = STUCK_MS } = options;
  const threads = Array.from({ length: count }, () => new CallThread({ ...options, maxHeapMb, idleMs, stuckMs }));
  return {
    async answer(method, params) {
      const idlest = threads.reduce((best, each) => (each.waiting < best.waiting ? each : best));
      return new JsonText(await idlest.ask(method, params));
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** One processor is left to the node itself. */
function usualCount(): number {
  return Math.min(2, Math.max(1, availableParallelism() - 1));
}

/** Bounds on traces assume a heap as large as the process has. */
function usualHeap(): number {
  return Math.min(1_024, Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE / 2));
}
