/** A block that was executed, and when that was known here, in milliseconds since the Unix epoch. */
export interface RecentBlock {
  readonly sequencerHeight: bigint;
  readonly number: bigint;
  readonly executedAt: number;
}

const KEPT = 32;

/** The last blocks that were executed: the place and time of a sequencer block's transactions. */
export class RecentBlocks {
  #blocks: readonly RecentBlock[] = [];

  /** @param last Number of the last of `blocks` in the rollup; each block of the sequencer is one there. */
  add(last: bigint, blocks: readonly { readonly height: bigint }[], now: number): void {
    if (blocks.length === 0) return;
    const added = blocks.slice(-KEPT).map(({ height }, index, { length }) => ({
      sequencerHeight: height,
      number: last - BigInt(length - 1 - index),
      executedAt: now,
    }));
    this.#blocks = [...this.#blocks, ...added].slice(-KEPT);
  }

  newestFirst(): RecentBlock[] {
    return this.#blocks.toReversed();
  }
}
