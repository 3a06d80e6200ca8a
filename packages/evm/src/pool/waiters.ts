import type { Hash } from '@switchyard/evm-machine/types';
import type { Forwarded } from '@switchyard/rollup/execution';
import type { Clock } from '@switchyard/service';

/** Settled with the result of a hand-over to the composer; undefined if that takes too long. */
export type Waiter = (outcome: Forwarded | undefined) => void;

interface Waiting {
  readonly hash: Hash;
  readonly dueAt: number;
  readonly settle: Waiter;
}

/** Callers that wait for the composer's answer about a transaction, each for the same time at most. */
export class Waiters {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #byHash = new Map<Hash, Waiting[]>();
  /** In the order in which their time is over: one timer does for all. */
  readonly #all = new Set<Waiting>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  add(hash: Hash, settle: Waiter): void {
    const waiting = { hash, dueAt: this.#clock.now() + this.#ms, settle };
    const others = this.#byHash.get(hash);
    if (others === undefined) this.#byHash.set(hash, [waiting]);
    else others.push(waiting);
    this.#all.add(waiting);
    if (this.#cancelTimer === undefined) this.#setTimer();
  }

  settle(hash: Hash, outcome: Forwarded): void {
    const waiters = this.#byHash.get(hash);
    if (waiters === undefined) return;
    this.#byHash.delete(hash);
    for (const waiting of waiters) {
      this.#all.delete(waiting);
      waiting.settle(outcome);
    }
    if (this.#all.size === 0) this.#stopTimer();
  }

  #setTimer(): void {
    const [oldest] = this.#all;
    if (oldest === undefined) return;
    this.#cancelTimer = this.#clock.after(Math.max(0, oldest.dueAt - this.#clock.now()), () => {
      this.#cancelTimer = undefined;
      this.#endDue();
      this.#setTimer();
    });
  }

  /** It would keep the process alive. */
  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #endDue(): void {
    const now = this.#clock.now();
    for (const waiting of this.#all) {
      if (waiting.dueAt > now) return;
      this.#all.delete(waiting);
      const others = this.#byHash.get(waiting.hash)?.filter((each) => each !== waiting) ?? [];
      if (others.length > 0) this.#byHash.set(waiting.hash, others);
      else this.#byHash.delete(waiting.hash);
      waiting.settle(undefined);
    }
  }
}
