import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Logger } from '@switchyard/service';
import { JsonBytes, type RpcContext } from '@switchyard/service/json-rpc';
import { limitExceeded, TIMED_OUT } from '../json/errors.ts';
import { CallThread, type CallThreadOptions } from './call-thread.ts';
import { FairWork } from './fair-work.ts';

/** Threads in which calls are answered that would hold up the main thread. */
export interface CallThreads {
  /**
   * Waits until a thread is free, in turn with calls of other clients.
   *
   * @param context Of the client's request; absent for a call of this node.
   * @throws {JsonRpcError} the method's error, that its thread has ended, or that too many wait.
   */
  answer(method: string, params: unknown, context?: Pick<RpcContext, 'from' | 'isOver'>): Promise<JsonBytes>;
  /** Calls that have no answer yet get none. */
  close(): Promise<void>;
}

export interface CallThreadsOptions extends Pick<CallThreadOptions, 'data' | 'informed' | 'onLine'> {
  /** The compiled `worker.js`. */
  readonly program: URL;
  readonly log: Pick<Logger, 'warn'>;
  /** In place of the machine's default. */
  readonly count?: number;
  readonly maxHeapMb?: number;
  readonly maxWaiting?: number;
  readonly maxWaitingOfClient?: number;
  /** A thread without anything to answer ends after this long, and gives its memory back. */
  readonly idleMs?: number;
  /** A thread that has not answered after this long is ended: calls end on their own before. */
  readonly stuckMs?: number;
}

const MAX_WAITING = 256;
const MAX_WAITING_OF_CLIENT = 128;
const IDLE_MS = 30_000;
const STUCK_MS = 60_000;
const MEBIBYTE = 1_048_576;

/** Begins no thread before one is needed. */
export function openCallThreads(options: CallThreadsOptions): CallThreads {
  const { count = usualCount(), maxHeapMb = usualHeap(), idleMs = IDLE_MS, stuckMs = STUCK_MS } = options;
  const { maxWaiting = MAX_WAITING, maxWaitingOfClient = MAX_WAITING_OF_CLIENT } = options;
  const threads = Array.from({ length: count }, () => new CallThread({ ...options, maxHeapMb, idleMs, stuckMs }));
  // Keeps one thread free for other clients.
  const bounds = { atATime: count, atATimeOfClient: Math.max(1, count - 1), maxWaiting, maxWaitingOfClient };
  const work = new FairWork(bounds);
  return {
    async answer(method, params, context) {
      const client = context?.from.peer ?? '';
      const full = work.fullFor(client);
      if (full === 'client')
        throw limitExceeded(
          `${maxWaitingOfClient} calls of ${client} are waiting already: wait for answers before you ask for more`,
        );
      if (full === 'all') throw limitExceeded(`${maxWaiting} long calls are waiting: try again later`);
      return work.run(client, async () => {
        if (context?.isOver() === true) throw TIMED_OUT;
        const free = threads.find(({ isFree }) => isFree);
        if (free === undefined) throw new Error('no thread for calls is free');
        return new JsonBytes(await free.ask(method, params));
      });
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** Two even if there are fewer processors: a long call leaves one for shorter ones. */
function usualCount(): number {
  return Math.max(2, Math.min(4, availableParallelism() - 1));
}

/** Bounds on traces assume a heap as large as the process has. */
function usualHeap(): number {
  return Math.min(1_024, Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE / 2));
}
