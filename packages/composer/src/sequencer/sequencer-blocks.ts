/** Reads the sequencer's blocks for a rollup that is behind it, and the sequencer's height. */
import { decodeRollupData, headerHash, Rejected, type RollupId, type SignedHeader } from '@switchyard/protocol';
import { errorLine, type Logger, type RepeatedLines, repeatedWarnings, withDeadline } from '@switchyard/service';

export interface BlockSource {
  height(signal: AbortSignal): Promise<bigint>;
  commit(height: bigint, signal: AbortSignal): Promise<SignedHeader>;
  /** The entries of a rollup in a block, encoded. */
  rollupEntries(height: bigint, rollup: RollupId, signal: AbortSignal): Promise<readonly Uint8Array[]>;
}

export interface SequencerBlocksDeps {
  /** The node in use. */
  readonly source: () => BlockSource;
  readonly log: Logger;
  /** A rollup waits for all blocks read in this time before it takes anything. */
  readonly longestMs?: number;
}

/** A rollup further behind than this catches up first; it learns missing facts from the blocks. */
const MAX_BLOCKS = 256n;
const MAX_BYTES = 16 * 1_048_576;
const LONGEST_MS = 5_000;
const AT_A_TIME = 16;

export class SequencerBlocks {
  readonly #deps: SequencerBlocksDeps;
  readonly #unread: RepeatedLines;

  constructor(deps: SequencerBlocksDeps) {
    this.#deps = deps;
    const sentence = 'not all blocks above the rollup could be read';
    this.#unread = repeatedWarnings(deps.log, { one: sentence, several: sentence });
  }

  /**
   * Submissions of a rollup in blocks above `height`, in order. What cannot be read in time is left out: it is only
   * missed until the rollup has executed those blocks.
   */
  async dataAbove(rollup: RollupId, height: bigint, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const { longestMs = LONGEST_MS } = this.#deps;
    const found: Uint8Array[] = [];
    try {
      const options = { ms: longestMs, signal, what: 'reading the blocks of the sequencer' };
      await withDeadline(options, (cut) => this.#collect(rollup, height, found, cut));
    } catch (error) {
      signal.throwIfAborted();
      this.#unread.add('unread', undefined, { rollup, height, error: errorLine(error) });
    }
    return found;
  }

  async #collect(rollup: RollupId, above: bigint, found: Uint8Array[], signal: AbortSignal): Promise<void> {
    const source = this.#deps.source();
    const latest = await source.height(signal);
    const last = latest - above > MAX_BLOCKS ? above + MAX_BLOCKS : latest;
    let bytes = 0;
    for (let from = above + 1n; from <= last && bytes <= MAX_BYTES; from += BigInt(AT_A_TIME)) {
      const heights = Array.from({ length: AT_A_TIME }, (_, index) => from + BigInt(index)).filter((at) => at <= last);
      const blocks = await Promise.all(heights.map((at) => source.rollupEntries(at, rollup, signal)));
      for (const entry of blocks.flat()) {
        const data = findSubmission(entry);
        if (data === undefined) continue;
        bytes += data.length;
        found.push(data);
      }
    }
  }

  /** The block at a height, or the latest one if the sequencer is not that far. */
  async at(wanted: bigint, signal: AbortSignal) {
    const source = this.#deps.source();
    const latest = await source.height(signal);
    const height = wanted < latest ? wanted : latest;
    if (height < 1n) return { latest, height: 0n, hash: new Uint8Array() };
    return { latest, height, hash: headerHash((await source.commit(height, signal)).header) };
  }
}

/** Deposits are no submissions, and a sequencer could put anything there. */
function findSubmission(entry: Uint8Array): Uint8Array | undefined {
  try {
    const decoded = decodeRollupData(entry);
    return decoded.kind === 'sequencedData' ? decoded.data : undefined;
  } catch (error) {
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}
