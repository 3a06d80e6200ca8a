import type { RollupId, TxHash } from '@switchyard/protocol';
import type { Clock, WallClock } from '@switchyard/service';
import type { Chunk } from './backlog.ts';
import type { Range } from './ranges.ts';

/** A submission and when it got where, in milliseconds since the Unix epoch. */
export interface Trace {
  readonly rollup: RollupId;
  readonly hash: TxHash;
  /** Being written, and waiting for a bundle. */
  readonly queuedAt: number;
  bundledAt?: number;
  sequencedAt?: number;
  height?: bigint;
  /** The sequencer transaction that carried it. */
  transaction?: TxHash;
  refusedAt?: number;
  reason?: string;
}

const KEPT = 64;
const PER_WINDOW = 8;
const WINDOW_MS = 500;

/**
 * Progress of some of the newest submissions, for the status page. Under load it is a sample of a few per half second, so
 * each entry stays until its block is there, and tracking it costs next to nothing.
 */
export class SubmissionLog {
  readonly #clock: Clock;
  readonly #wall: WallClock;
  /** Traces by item number, in order of acceptance. */
  readonly #traces = new Map<number, Trace>();
  #windowEnd = Number.NEGATIVE_INFINITY;
  #room = 0;

  constructor({ clock, wall }: { readonly clock: Clock; readonly wall: WallClock }) {
    this.#clock = clock;
    this.#wall = wall;
  }

  queued({ first, items }: Chunk): void {
    const now = this.#clock.now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + WINDOW_MS;
      this.#room = PER_WINDOW;
    }
    for (let index = 0; index < items.length && this.#room > 0; index += 1, this.#room -= 1) {
      const item = items[index];
      if (item === undefined) break;
      this.#traces.set(first + index, { rollup: item.rollup, hash: item.hash, queuedAt: this.#wall.unixMs() });
    }
    for (const number of this.#traces.keys()) {
      if (this.#traces.size <= KEPT) break;
      this.#traces.delete(number);
    }
  }

  bundled(ranges: readonly Range[]): void {
    for (const trace of this.#within(ranges)) trace.bundledAt = this.#wall.unixMs();
  }

  sequenced(ranges: readonly Range[], { height, transaction }: { height: bigint; transaction: TxHash }): void {
    for (const trace of this.#within(ranges)) {
      Object.assign(trace, { sequencedAt: this.#wall.unixMs(), height, transaction } satisfies Partial<Trace>);
    }
  }

  refused(ranges: readonly Range[], reason: string): void {
    for (const trace of this.#within(ranges)) {
      Object.assign(trace, { refusedAt: this.#wall.unixMs(), reason } satisfies Partial<Trace>);
    }
  }

  /** Newest first. */
  latest(limit: number): Trace[] {
    return [...this.#traces.values()].reverse().slice(0, limit);
  }

  *#within(ranges: readonly Range[]): Iterable<Trace> {
    for (const [number, trace] of this.#traces) {
      if (ranges.some(({ from, to }) => from <= number && number < to)) yield trace;
    }
  }
}
