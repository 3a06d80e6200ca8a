/** When blocks are made. Times are milliseconds of one monotonic clock. */
export interface Pace {
  /** Least time between two blocks that were asked for. */
  readonly blockIntervalMs: number;
  /** Longest time without a block. */
  readonly emptyBlockIntervalMs: number;
}

/** What matters of the past: `undefined` where there was no such block since the start. */
export interface Made {
  /** When the last block was due that was made because something waited. */
  readonly asked: number | undefined;
  /** When the last block of any kind was due. */
  readonly any: number | undefined;
}

export const NOTHING_MADE: Made = { asked: undefined, any: undefined };

/**
 * When the next block is due; a time that has passed, or minus infinity, means at once.
 *
 * A heartbeat never delays requested blocks: blocks that were asked for keep their distance among themselves only.
 */
export function nextDue({ blockIntervalMs, emptyBlockIntervalMs }: Pace, made: Made, waiting: boolean): number {
  const heartbeat = made.any === undefined ? Number.NEGATIVE_INFINITY : made.any + emptyBlockIntervalMs;
  if (!waiting) return heartbeat;
  const asked = made.asked === undefined ? Number.NEGATIVE_INFINITY : made.asked + blockIntervalMs;
  return Math.min(heartbeat, asked);
}

/**
 * Notes a block that starts at `now`.
 *
 * What counts is when it was due, as long as it is late by less than an interval: timers fire late by up to a
 * millisecond or two, and at short intervals that would add up to fewer blocks than were asked for.
 */
export function noteBlock({ blockIntervalMs }: Pace, made: Made, now: number, due: number, waiting: boolean): Made {
  const start = now - due < blockIntervalMs ? due : now;
  return { asked: waiting ? start : made.asked, any: start };
}
