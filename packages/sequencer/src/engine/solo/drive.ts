import type { Clock } from '@switchyard/service';
import type { PoolView } from '../../app/types.ts';
import { type Made, NOTHING_MADE, nextDue, noteBlock, type Pace } from './pace.ts';

export interface DriveInput {
  readonly pace: Pace;
  readonly clock: Clock;
  readonly pool: Pick<PoolView, 'pendingCount' | 'onPending'>;
  readonly signal: AbortSignal;
  /** Makes one block. */
  make(): Promise<void>;
}

/** Makes block after block, each when it is due, until `signal` aborts. A block that was begun is finished. */
export async function drive({ pace, clock, pool, signal, make }: DriveInput): Promise<void> {
  let made: Made = NOTHING_MADE;
  /** How often something became pending, to see whether it did during a block. */
  let arrivals = 0;
  /** Whether the application took none of the waiting ones: no use to offer them again until something changes. */
  let passedOver = false;
  let wake: (() => void) | undefined;
  const unsubscribe = pool.onPending(() => {
    arrivals += 1;
    passedOver = false;
    wake?.();
  });

  try {
    while (!signal.aborted) {
      const pending = pool.pendingCount;
      const waiting: boolean = pending > 0 && !passedOver;
      const due = nextDue(pace, made, waiting);
      const now = clock.now();
      if (due > now) {
        await pause(clock, due - now, signal, (resume) => {
          // A wait for the end of an interval need not be cut short by each further transaction.
          wake = waiting ? undefined : resume;
        });
        wake = undefined;
        continue;
      }
      made = noteBlock(pace, made, now, due, waiting);
      const before = arrivals;
      await make();
      passedOver = pending > 0 && arrivals === before && pool.pendingCount >= pending;
    }
  } finally {
    unsubscribe();
  }
}

/** Resolves after `ms`, when `signal` aborts, or when the function given to `onStart` is called. */
function pause(clock: Clock, ms: number, signal: AbortSignal, onStart: (resume: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resume);
    function resume(): void {
      cancel();
      signal.removeEventListener('abort', resume);
      resolve();
    }
    signal.addEventListener('abort', resume, { once: true });
    onStart(resume);
  });
}
