import { QUIET_BLOCK_INTERVAL_GROWS } from '../../config.ts';

/** When blocks are made. Times are milliseconds of one monotonic clock. */
export interface Pace {
  /** Least time between two blocks that were requested. */
  readonly blockIntervalMs: number;
  /** Longest time without a block. */
  readonly emptyBlockIntervalMs: number;
  /** Longest time without a block on a chain that is quiet since a few minutes, if that is longer. */
  readonly quietBlockIntervalMs?: number | undefined;
}

/** A chain is quiet without requests for this long. Clients that count confirmations have theirs by then. */
export const QUIET_AFTER_MS = 60_000;

/** After this long the distance of the blocks of a quiet chain begins to grow, in proportion to how long it is quiet. */
export const SLOWER_AFTER_MS = 10 * QUIET_AFTER_MS;

/** When past blocks were due: `undefined` if there was no such block since the start. */
export interface Made {
  /** When the last block was due that was made because something waited. */
  readonly asked: number | undefined;
  /** When the last block of any kind was due. */
  readonly any: number | undefined;
  /** When the last block that was requested was due, or the first one since the start. */
  readonly busy: number | undefined;
}

export const NOTHING_MADE: Made = { asked: undefined, any: undefined, busy: undefined };

/**
 * When the next block is due; a time that has passed, or minus infinity, means at once.
 *
 * A heartbeat never delays requested blocks: these keep their distance among themselves only.
 */
export function nextDue(pace: Pace, made: Made, waiting: boolean): number {
  const { blockIntervalMs, emptyBlockIntervalMs, quietBlockIntervalMs = 0 } = pace;
  const { any = Number.NEGATIVE_INFINITY, busy = any } = made;
  const quietMs = any - busy;
  const times = Math.min(Math.max(quietMs / SLOWER_AFTER_MS, 1), QUIET_BLOCK_INTERVAL_GROWS);
  const heartbeat =
    any +
    (quietMs >= QUIET_AFTER_MS ? Math.max(emptyBlockIntervalMs, times * quietBlockIntervalMs) : emptyBlockIntervalMs);
  if (!waiting) return heartbeat;
  const wanted = made.asked === undefined ? Number.NEGATIVE_INFINITY : made.asked + blockIntervalMs;
  return Math.min(heartbeat, wanted);
}

/**
 * Notes a block that starts at `now`.
 *
 * The time that counts is when it was due, if it is late by less than an interval: timers fire late by up to a
 * millisecond or two, and at short intervals that would add up to fewer blocks than requested.
 */
export function noteBlock({ blockIntervalMs }: Pace, made: Made, now: number, due: number, waiting: boolean): Made {
  const start = now - due < blockIntervalMs ? due : now;
  const isFirst = made.any === undefined;
  return { asked: waiting ? start : made.asked, any: start, busy: waiting || isFirst ? start : made.busy };
}
