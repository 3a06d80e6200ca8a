/**
 * Two kinds of time, kept apart by their types. Durations, deadlines and rates are measured on a `Clock`, which never
 * steps. The time of day comes from a `WallClock`, for people and protocols; it jumps whenever the
 * system clock is set.
 */

/** Monotonic time as a dependency. */
export interface Clock {
  /** Whole milliseconds since an arbitrary moment. Only differences mean anything: it is no date. */
  now(): number;
  /**
   * Calls `fire` once after `ms`; the returned function takes that back.
   *
   * @param isIdle The timer does not keep the process alive.
   */
  after(ms: number, fire: () => void, isIdle?: boolean): () => void;
}

/** Whole milliseconds since the Unix epoch, as a wall clock gave it. */
export type UnixMs = number & { readonly __unixMs: unique symbol };

/** The time of day as a dependency. */
export interface WallClock {
  unixMs(): UnixMs;
}

/** Everything that a process takes from outside besides its input and its files, and that differs from run to run. */
export interface Time extends Clock, WallClock {
  /** At least 0 and below 1. */
  random(): number;
  /** Calls `fire` once everything that is ready has run. */
  defer(fire: () => void): void;
  /** Waits for work of the operating system or of a thread; no time passes in the meantime if time is simulated. */
  outside<T>(work: Promise<T>): Promise<T>;
  /** Whether work is given to threads, whose order differs from run to run. */
  readonly hasThreads: boolean;
}

/** The machine's. */
const realTime: Time = {
  now: () => Math.floor(performance.now()),
  after(ms, fire, isIdle = false) {
    const timer = setTimeout(fire, ms);
    // In a browser a timer is a number, and keeps nothing alive.
    if (isIdle && typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
  // The only place that reads it (scripts/wall-clock.grit).
  // biome-ignore lint/plugin: this is the one place
  unixMs: () => Date.now() as UnixMs,
  random: () => Math.random(),
  defer: (fire) => void setImmediate(fire),
  outside: (work) => work,
  hasThreads: true,
};

let time = realTime;

/** Whether work may be given to threads. */
export const hasThreads = (): boolean => time.hasThreads;

/**
 * Replaces the time of all of our code in this thread.
 *
 * @param make Makes the new one from the present one.
 * @returns the new one; `giveBack` ends it. Timers begun before keep running unchanged.
 */
export function useTime<T extends Time>(make: (present: Time) => T): { readonly time: T; giveBack(): void } {
  const before = time;
  const made = make(before);
  time = made;
  return {
    time: made,
    giveBack: () => {
      time = before;
    },
  };
}

/** Monotonic time of the process. Its timers keep the process alive unless they are idle. */
export const systemClock: Clock = {
  now: () => time.now(),
  after: (ms, fire, isIdle) => time.after(ms, fire, isIdle),
};

/** The time of day. */
export const wallClock: WallClock = { unixMs: () => time.unixMs() };

/** At least 0 and below 1. */
export const systemRandom = (): number => time.random();

/** Calls `fire` once everything that is ready has run. */
export const defer = (fire: () => void): void => time.defer(fire);

/** Lets everything else that is ready run first. */
export const turn = (): Promise<void> => new Promise((resolve) => time.defer(resolve));

/** Waits for work of the operating system or of a thread; no time passes in the meantime if time is simulated. */
export const outside = <T>(work: Promise<T>): Promise<T> => time.outside(work);

/** The time of day as a `Date`, to be printed. */
export const wallDate = (wall: WallClock = wallClock): Date => new Date(wall.unixMs());

/**
 * Position of a stored time of day on the monotonic clock, so that its age can be measured from now on. Only this one
 * reading depends on the wall clock. A time in the future, left by a clock that has been set back since, counts as now:
 * periods measured from it end after its own period at the latest.
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
  /** Beginning of the monotonic clock. */
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

  /** Position of a stored time on the monotonic clock; no later than now. */
  since(storedAt: number): number {
    return Math.min(this.#clock.now(), storedAt - this.#zero);
  }
}
