import { type Clock, errorLine, isAbort, type Logger, sleep, withDeadline } from '@switchyard/service';
import type { Collector } from './collector.ts';

export interface SequencerWatchDeps {
  readonly collector: Pick<Collector, 'sequencerBlock'>;
  /** Height of the last block of the sequencer that is executed here. */
  readonly executedHeight: () => bigint;
  /** Hash of the sequencer block at a height, recorded at its execution here; undefined if that is not known (any more). */
  readonly executedHash: (height: bigint) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_MS = 5_000;
const ASK_MS = 2_000;
/** A node may be late for this long; a sequencer that is behind for longer has lost blocks, or stands still. */
const LATE_MS = 30_000;
const WHAT_TO_DO =
  'it was restored from an older backup, or belongs to another chain: restore its newest state, or reset this rollup so that it executes that chain from the start';

/**
 * Compares the sequencer with the blocks that are executed here. A sequencer that was put back makes other blocks at the
 * same heights, and submissions handed to it then can never be executed here; so it is better not accepted.
 */
export class SequencerWatch {
  readonly #deps: SequencerWatchDeps;
  #trouble: string | undefined;
  #behindSince: number | undefined;

  constructor(deps: SequencerWatchDeps) {
    this.#deps = deps;
  }

  /** Why nothing that is accepted now could be executed. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(EVERY_MS, signal, this.#deps.clock);
        await this.look(signal);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  /** Keeps the last result if the composer does not report the position. */
  async look(signal: AbortSignal): Promise<void> {
    const { collector, executedHeight, executedHash, log } = this.#deps;
    const executed = executedHeight();
    let expected: string | undefined;
    try {
      const options = { ms: ASK_MS, signal, what: 'the question to the composer' };
      const block = await withDeadline(options, (cut) => collector.sequencerBlock(executed, cut));
      if (block === undefined) return;
      expected = block.height > 0n ? await executedHash(block.height) : undefined;
      this.#check(executed, block, expected);
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ error: errorLine(error) }, 'sequencer position unknown');
    }
  }

  #check(
    executed: bigint,
    { height, hash }: { readonly height: bigint; readonly hash: string },
    expected: string | undefined,
  ): void {
    const now = this.#deps.clock.now();
    this.#behindSince = height < executed ? (this.#behindSince ?? now) : undefined;
    if (expected !== undefined && expected !== hash) {
      this.#report(
        `the sequencer has another block ${height} (${hash}) than this rollup has executed (${expected}): ${WHAT_TO_DO}`,
      );
    } else if (this.#behindSince !== undefined && now - this.#behindSince >= LATE_MS) {
      this.#report(
        `the sequencer is at height ${height}, and this rollup has executed up to ${executed}: ${WHAT_TO_DO}`,
      );
    } else this.#report(undefined);
  }

  #report(trouble: string | undefined): void {
    const { log } = this.#deps;
    if (trouble !== undefined && this.#trouble === undefined)
      log.error({ reason: trouble }, 'sequencer does not match the executed chain: transactions are refused');
    if (trouble === undefined && this.#trouble !== undefined) log.info('sequencer matches the executed chain again');
    this.#trouble = trouble;
  }
}
