import { type Time, type UnixMs, useTime } from '@switchyard/service';

interface Timer {
  /** On the shifted clock. */
  readonly at: number;
  readonly isIdle: boolean;
  readonly fire: () => void;
  cancel(): void;
}

/** The time of this thread, which can be set forward. Otherwise it passes as the machine's. */
export class ShiftedTime implements Time {
  readonly hasThreads: boolean;
  readonly random: () => number;
  readonly defer: (fire: () => void) => void;
  readonly #real: Time;
  readonly #timers = new Set<Timer>();
  /** Milliseconds that it is ahead of the machine's. */
  #aheadMs = 0;
  /** The time of day while it stands still. */
  #heldMs: number | undefined;

  constructor(real: Time) {
    this.#real = real;
    this.hasThreads = real.hasThreads;
    this.random = () => real.random();
    this.defer = (fire) => real.defer(fire);
  }

  get aheadMs(): number {
    return this.#aheadMs;
  }

  readonly now = (): number => this.#real.now() + this.#aheadMs;
  readonly unixMs = (): UnixMs => (this.#heldMs ?? this.#real.unixMs() + this.#aheadMs) as UnixMs;

  readonly after = (ms: number, fire: () => void, isIdle = false): (() => void) => {
    const timer: Timer = { at: this.now() + ms, isIdle, fire, cancel: () => undefined };
    this.#begin(timer, ms);
    return () => this.#end(timer);
  };

  outside<T>(work: Promise<T>): Promise<T> {
    return this.#real.outside(work);
  }

  /**
   * Sets the clocks forward, as for a machine that was suspended for this long: each timer that is due by then fires once, in their
   * order, and its consequences run before the next one. Timers that are begun in the meantime count from the new time.
   */
  async advance(ms: number): Promise<void> {
    this.#aheadMs += ms;
    const now = this.now();
    const timers = [...this.#timers];
    for (const timer of timers) {
      timer.cancel();
      if (timer.at > now) this.#begin(timer, timer.at - now);
    }
    for (const timer of timers.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at)) {
      // One before it may have taken it back.
      if (!this.#timers.has(timer)) continue;
      this.#end(timer);
      timer.fire();
      await new Promise<void>((resolve) => this.defer(resolve));
    }
  }

  /** Has the time of day stand still at this one for the work, after the clocks were set forward to it if it has not come yet. */
  async at<T>(unixMs: number, work: () => Promise<T>): Promise<T> {
    const ms = unixMs - this.unixMs();
    if (ms > 0) await this.advance(ms);
    this.#heldMs = unixMs;
    try {
      return await work();
    } finally {
      this.#heldMs = undefined;
    }
  }

  #begin(timer: Timer, ms: number): void {
    this.#timers.add(timer);
    timer.cancel = this.#real.after(
      ms,
      () => {
        this.#timers.delete(timer);
        timer.fire();
      },
      timer.isIdle,
    );
  }

  #end(timer: Timer): void {
    timer.cancel();
    this.#timers.delete(timer);
  }
}

let held: { readonly time: ShiftedTime; readonly giveBack: () => void; holders: number } | undefined;

/** The time of this thread that can be set forward: one for all who hold it. `release` gives it back, the last one the machine's. */
export function holdTime(): { readonly time: ShiftedTime; release(): void } {
  held ??= { ...useTime((present) => new ShiftedTime(present)), holders: 0 };
  const mine = held;
  mine.holders += 1;
  let isHeld = true;
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    mine.holders -= 1;
    if (mine.holders > 0) return;
    held = undefined;
    mine.giveBack();
  };
  return { time: mine.time, release };
}
