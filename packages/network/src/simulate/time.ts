import type { Time, UnixMs } from '@switchyard/service';
import type { Chance } from './chance.ts';

interface Event {
  readonly at: number;
  /** Events of one moment fire in the order of their creation. */
  readonly order: number;
  fire: (() => void) | undefined;
}

export interface SimulatedTimeOptions {
  /** Time of day at the beginning. */
  readonly unixMs: number;
  readonly chance: Chance;
  /** Called with the moment and the number of each event, before it fires. */
  readonly onEvent?: (now: number, order: number) => void;
}

/**
 * Time that only passes from one event to the next, once everything that is ready has run. Timers that are due at one moment fire in
 * their order, one after the other, so that the same program does the same in every run.
 */
export class SimulatedTime implements Time {
  readonly hasThreads = false;
  readonly #options: SimulatedTimeOptions;
  /** In the order in which they fire. */
  readonly #events: Event[] = [];
  #now = 0;
  #orders = 0;
  /** Work of the operating system that is waited for. */
  readonly #outside: { readonly settled: Promise<void>; release(): void }[] = [];
  #fired = 0;
  readonly #interruptions = new Set<{ readonly after: number; resolve(): void }>();
  /** Difference of a clock that was set. */
  #wallStepMs = 0;

  constructor(options: SimulatedTimeOptions) {
    this.#options = options;
  }

  readonly now = (): number => this.#now;
  readonly unixMs = (): UnixMs => (this.#options.unixMs + this.#wallStepMs + this.#now) as UnixMs;
  readonly random = (): number => this.#options.chance.next();
  readonly defer = (fire: () => void): void => void this.#add(this.#now, fire);

  readonly after = (ms: number, fire: () => void): (() => void) => {
    const event = this.#add(this.#now + Math.max(1, Math.ceil(ms)), fire);
    return () => {
      event.fire = undefined;
    };
  };

  async outside<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    await new Promise<void>((release) => this.#outside.push({ settled, release }));
    return work;
  }

  /** Resolves between two events, once this many more have fired. */
  events(count: number): Promise<void> {
    return new Promise((resolve) => this.#interruptions.add({ after: this.#fired + count, resolve }));
  }

  /** Sets the clock of the machine: timers are not concerned. */
  stepWall(ms: number): void {
    this.#wallStepMs += ms;
  }

  /**
   * Lets time pass until `isDone`, which is called after each event, or until the moment is reached.
   *
   * @returns whether it was done: not if nothing is left that could happen.
   */
  async pass(until: number, isDone: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      await this.#settled();
      if (isDone()) return true;
      const next = this.#events[0];
      if (next === undefined || next.at > until) {
        this.#now = Math.max(this.#now, until);
        return false;
      }
      this.#events.shift();
      this.#now = next.at;
      const { fire } = next;
      if (fire === undefined) continue;
      this.#options.onEvent?.(next.at, next.order);
      fire();
      this.#fired += 1;
      for (const each of this.#interruptions) {
        if (each.after > this.#fired) continue;
        this.#interruptions.delete(each);
        await this.#settled();
        each.resolve();
      }
    }
  }

  /** Resolves once no promise is about to continue, and no work of the system is under way. */
  async #settled(): Promise<void> {
    await realTurn();
    // One after the other in the order in which they were begun, whichever the system has done first.
    for (let next = this.#outside.shift(); next !== undefined; next = this.#outside.shift()) {
      await next.settled;
      next.release();
      await realTurn();
    }
  }

  #add(at: number, fire: () => void): Event {
    this.#orders += 1;
    const event = { at, order: this.#orders, fire };
    // Behind those of the same moment.
    let [index, end] = [0, this.#events.length];
    while (index < end) {
      const middle = (index + end) >> 1;
      if ((this.#events[middle]?.at ?? at) <= at) index = middle + 1;
      else end = middle;
    }
    this.#events.splice(index, 0, event);
    return event;
  }
}

/** All promises that are about to continue do so before the next turn of the real event loop. */
const realTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
