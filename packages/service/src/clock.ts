/**
 * Two kinds of time, kept apart by their types. Durations, deadlines and rates are measured on a `Clock`, which never
 * steps. The time of day comes from a `WallClock`, for what people or protocols read; it jumps whenever the
 * system clock is set.
 */

/** Monotonic time as a dependency. */
export interface Clock {
  /** Whole milliseconds since an arbitrary moment. Only differences mean anything: it is no date. */
  now(): number;
  /** Calls `fire` once after `ms`; the returned function takes that back. */
  after(ms: number, fire: () => void): () => void;
}

/** Whole milliseconds since the Unix epoch, as a wall clock gave it. */
export type UnixMs = number & { readonly __unixMs: unique symbol };

/** The time of day as a dependency. */
export interface WallClock {
  unixMs(): UnixMs;
}

/** The machine's monotonic clock. Its timers keep the process alive. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.now()),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

/** The machine's time of day: the only place that reads it (scripts/wall-clock.grit). */
// biome-ignore lint/plugin: this is the one place
export const wallClock: WallClock = { unixMs: () => Date.now() as UnixMs };

/** The time of day as a `Date`, to be printed. */
export const wallDate = (wall: WallClock = wallClock): Date => new Date(wall.unixMs());

/**
 * Where a stored time of day lies on the monotonic clock, so that its age can be measured from now on. Only this one
 * reading depends on the wall clock. A time in the future, left by a clock that has been set back since, counts as now:
 * what is measured from it ends after its own period at the latest.
 */
export function sinceStored(storedAt: number, { clock, wall }: { clock: Clock; wall: WallClock }): number {
  return clock.now() - Math.max(0, wall.unixMs() - storedAt);
}

/**
 * Time for records whose age counts after a restart, too. It advances only while a process runs: neither setting the wall
 * clock nor the time between two runs ages a record.
 */
export class RunningTime {
  readonly #clock: Clock;
  /** Where the monotonic clock began. */
  #zero: number;

  /** Begins at the time of day, for the first run. */
  constructor({ clock, wall }: { clock: Clock; wall: WallClock }) {
    this.#clock = clock;
    this.#zero = wall.unixMs() - clock.now();
  }

  /** Continues at the newest time that an earlier run has stored. To be called before this run stores one. */
  resume(newest: number): void {
    this.#zero = newest - this.#clock.now();
  }

  /** To be stored, in whole milliseconds. */
  now(): number {
    return Math.floor(this.#zero + this.#clock.now());
  }

  /** Where a stored time lies on the monotonic clock; no later than now. */
  since(storedAt: number): number {
    return Math.min(this.#clock.now(), storedAt - this.#zero);
  }
}
