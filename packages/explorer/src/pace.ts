import { cpus } from 'node:os';
import { type Clock, sleep } from '@switchyard/service';
import type { IndexStore } from './store/store.ts';

/** Processor time since some moment, in milliseconds. */
export interface CpuTimes {
  /** Of this process. */
  readonly own: number;
  /** Of all processes on all cores. */
  readonly used: number;
  /** What all cores have had to give. */
  readonly capacity: number;
}

/** The machine is busy when others use this share of it. */
const BUSY_SHARE = 0.75;
/** What indexing takes of a busy machine, all cores together. */
const SHARE_WHILE_BUSY = 0.01;
const SAMPLE_MS = 250;
/** How much of the difference to a less busy sample counts at once: load comes in waves, and between two of them is not the end of it. */
const RELIEF = 0.25;
const BURST_MS = 50;
/** So that the index advances even where the rest of this process takes all of its share. */
const MAX_REST_MS = 5_000;

/** The share of the machine that other processes used between two samples. */
export function shareOfOthers(before: CpuTimes, after: CpuTimes): number {
  const capacity = after.capacity - before.capacity;
  if (capacity <= 0) return 0;
  return Math.max(0, after.used - before.used - (after.own - before.own)) / capacity;
}

/** Load counts at once, and relief bit by bit. */
export function smoothed(before: number, sample: number): number {
  return sample > before ? sample : before + (sample - before) * RELIEF;
}

/**
 * The processor time, in milliseconds, that indexing may still take. It grows with time up to `BURST_MS`, so that a little work
 * is done at once, and is negative after more than that: never by more than a rest makes up for.
 *
 * @param own What was taken in the last `elapsedMs`.
 * @param others The share of the machine that other processes use.
 */
export function budgetAfter(budget: number, own: number, elapsedMs: number, cores: number, others: number): number {
  if (others < BUSY_SHARE) return BURST_MS;
  const perMs = SHARE_WHILE_BUSY * cores;
  return Math.max(-MAX_REST_MS * perMs, Math.min(BURST_MS, budget + elapsedMs * perMs) - own);
}

interface PaceDeps {
  readonly clock: Clock;
  readonly cores: number;
  readonly cpu: () => CpuTimes;
}

/**
 * Keeps indexing from slowing down the network that is indexed: on a busy machine it gets a small share, and catches up when
 * there is room. On any other machine it never waits.
 */
export class Pace {
  readonly #deps: PaceDeps;
  #sample: CpuTimes;
  #sampledAt: number;
  #others = 0;
  #budget = BURST_MS;
  #own: number;
  #countedAt: number;

  constructor(deps: PaceDeps) {
    this.#deps = deps;
    this.#sample = deps.cpu();
    this.#own = this.#sample.own;
    this.#sampledAt = this.#countedAt = deps.clock.now();
  }

  /** Whether others need the machine. A batch is then best a small one, so that no rest is long. */
  get isBusy(): boolean {
    return this.#others >= BUSY_SHARE;
  }

  /** Waits where the process has taken more than its share, for as long as others need the machine. */
  async rest(signal: AbortSignal): Promise<void> {
    const { clock, cores } = this.#deps;
    const since = clock.now();
    this.#count();
    while (this.#budget < 0 && !signal.aborted) {
      const left = since + MAX_REST_MS - clock.now();
      if (left <= 0) return;
      const pause = Math.min(SAMPLE_MS, left, Math.ceil(-this.#budget / (SHARE_WHILE_BUSY * cores)));
      await sleep(pause, signal, clock).catch(() => undefined);
      this.#count();
    }
  }

  #count(): void {
    const { clock, cpu, cores } = this.#deps;
    const now = clock.now();
    const times = cpu();
    if (now - this.#sampledAt >= SAMPLE_MS) {
      this.#others = smoothed(this.#others, shareOfOthers(this.#sample, times));
      this.#sample = times;
      this.#sampledAt = now;
    }
    this.#budget = budgetAfter(this.#budget, times.own - this.#own, now - this.#countedAt, cores, this.#others);
    this.#own = times.own;
    this.#countedAt = now;
  }
}

/** The store as indexers write to it: what they have prepared waits for its turn. */
export function paced(store: IndexStore, pace: Pace, signal: AbortSignal): IndexStore {
  return {
    place: store.place,
    read: (sql, params) => store.read(sql, params),
    close: () => store.close(),
    async write(batch) {
      await pace.rest(signal);
      await store.write(batch);
    },
  };
}

/** Of this process and of the machine that it runs on. */
export function machineCpu(): CpuTimes {
  const { user, system } = process.cpuUsage();
  let used = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    used += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { own: (user + system) / 1_000, used, capacity: used + idle };
}
