import type { ScrubSource } from '@switchyard/storage';
import { integer } from '../input/values.ts';
import { type Field, field } from '../settings/config.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { sleep } from '../timing/abort.ts';
import { type Clock, systemClock, type WallClock, wallClock } from '../timing/clock.ts';

/** Read in one go, which takes the thread for a millisecond or two. */
const STEP_BYTES = 65_536;
/** A pass begins at most this often: small stores are not read all the time. */
const PASS_EVERY_MS = 300_000;

/** The setting that bounds a scrubber, for the table of a process that stores something. */
export function scrubField(prefix: string): Field<number> {
  return field(`${prefix}SCRUB_BYTES_PER_SECOND`, integer({ min: 0, max: 1_073_741_824 }), {
    help: 'stored bytes that are read again and checked each second; a pass over everything begins at most every five minutes; 0: never',
    fallback: '1048576',
  });
}

export interface ScrubDeps {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Stops the process. */
  readonly fail: (error: unknown) => void;
  readonly clock?: Clock;
  readonly wall?: WallClock;
}

/**
 * Reads everything that a process has stored, again and again at a bounded rate, until the signal aborts; stops the
 * process at the first damage.
 */
export async function scrub(sources: readonly ScrubSource[], bytesPerSecond: number, deps: ScrubDeps): Promise<void> {
  const { metrics, log, signal, fail, clock = systemClock, wall = wallClock } = deps;
  if (bytesPerSecond === 0 || sources.length === 0) return;
  const records = metrics.counter('scrub_records_total', 'stored records that were read again and checked');
  const bytes = metrics.counter('scrub_bytes_total', 'stored bytes that were read again and checked');
  const passes = metrics.counter('scrub_passes_total', 'times that everything stored was checked');
  const errors = metrics.counter('scrub_errors_total', 'damage found in stored data');
  const last = metrics.gauge(
    'scrub_last_pass_timestamp_seconds',
    'when everything stored was last checked; 0: not yet',
  );
  last.set(0);
  try {
    for (;;) {
      const began = clock.now();
      for (const source of sources) {
        for (let done = false; !done; ) {
          const step = source.step(STEP_BYTES);
          records.add(step.records);
          bytes.add(step.bytes);
          done = step.done;
          await sleep((step.bytes / bytesPerSecond) * 1_000, signal, clock);
        }
      }
      passes.add();
      last.set(Math.floor(wall.unixMs() / 1_000));
      log.debug({ stores: sources.length, ms: clock.now() - began }, 'checked all stored data');
      await sleep(Math.max(0, PASS_EVERY_MS - (clock.now() - began)), signal, clock);
    }
  } catch (error) {
    if (signal.aborted) return;
    errors.add();
    fail(error);
  }
}
