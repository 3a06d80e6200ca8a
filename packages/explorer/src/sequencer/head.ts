import type { SequencerClient } from '@switchyard/client';
import { rollupIdFromName } from '@switchyard/protocol';
import { aborted, backoffMs, type Clock, errorLine, type Logger, Notifier, sleep } from '@switchyard/service';

export type HeadSource = Pick<SequencerClient, 'status' | 'streamFilteredBlocks'>;

/** Blocks filtered to a rollup that no one has carry no data, only the news that they exist. */
const NO_ROLLUP = rollupIdFromName('');

interface HeadDeps {
  readonly source: HeadSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** How often the node is queried while it does not push. */
  readonly pollMs: number;
}

/** The sequencer's newest height: pushed by its stream of blocks, and polled while there is no stream. */
export class Head {
  readonly #deps: HeadDeps;
  readonly changed = new Notifier();
  #latest = 0n;

  constructor(deps: HeadDeps) {
    this.#deps = deps;
  }

  get latest(): bigint {
    return this.#latest;
  }

  /** A sequencer that was reset is at a lower height. */
  set(latest: bigint): void {
    if (latest === this.#latest) return;
    this.#latest = latest;
    this.changed.notify();
  }

  /** Resolves as soon as the newest height is above this one, or after `atMostMs`. */
  async above(height: bigint, atMostMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const over = new AbortController();
    const cancel = clock.after(atMostMs, () => over.abort());
    try {
      const until = AbortSignal.any([signal, over.signal]);
      while (this.#latest <= height && !over.signal.aborted) {
        await this.changed.wait(until).catch((error: unknown) => {
          if (signal.aborted) throw error;
        });
      }
    } finally {
      cancel();
    }
  }

  /** Follows until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, clock, log, random, pollMs } = this.#deps;
    for (let failures = 0; !signal.aborted; ) {
      try {
        this.set((await source.status(signal)).latestHeight);
        for await (const { latest } of source.streamFilteredBlocks(this.#latest + 1n, NO_ROLLUP, signal)) {
          failures = 0;
          this.set(latest);
        }
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        log.debug({ error: errorLine(error) }, 'no stream of blocks from the sequencer, asking it again');
        await sleep(Math.max(pollMs, backoffMs(failures, { maxMs: 5_000 }, random)), signal, clock).catch(
          () => undefined,
        );
      }
    }
    await aborted(signal);
  }
}
