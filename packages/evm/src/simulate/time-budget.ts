import type { Watch } from '@switchyard/evm-machine/interface';
import { systemClock } from '@switchyard/service';

/** A call took longer than it may. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** A call takes longer than the thread that answers everything else is kept for it: it begins again in another. */
export class TakesLong extends Error {
  override readonly name = 'TakesLong';

  /** @param instead The call that begins in place of the same one. */
  constructor(readonly instead?: { readonly method: string; readonly params: unknown }) {
    super('this takes long: a thread begins it again');
  }
}

/** Gas of one precompiled contract that is not spent in the thread that answers everything else: about as long as a call may stay there. */
const MOST_GAS_HERE = 150_000;

export interface BudgetOptions {
  /** After this long the call is left to a thread; undefined if there is none, or if this is one. */
  readonly hereMs?: number | undefined;
  readonly clock?: () => number;
}

/**
 * Bounds one execution in time.
 *
 * @param ms From now.
 * @returns a function that throws `TimedOut`, or `TakesLong` before.
 */
export function timeBudget(ms: number, { hereMs, clock = systemClock.now }: BudgetOptions = {}): Watch {
  const began = clock();
  return (gasAhead) => {
    const elapsed = clock() - began;
    if (hereMs !== undefined && (elapsed > hereMs || gasAhead > MOST_GAS_HERE)) throw new TakesLong();
    if (elapsed > ms) throw new TimedOut('execution timeout');
  };
}
