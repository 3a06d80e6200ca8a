import type { RollupId } from '@switchyard/protocol';
import type { Statement } from '../store/store.ts';
import type { Offers } from './offers.ts';
import type { RollupHead } from './rollup-node.ts';

/** A node of a rollup of any kind. */
export interface AnyRollupNode {
  readonly url: string;
  head(signal: AbortSignal): Promise<RollupHead>;
  findHash(number: number, signal: AbortSignal): Promise<string>;
  /** Anything else that the node's API answers to a GET. */
  get(path: string, signal: AbortSignal): Promise<unknown>;
  /** Endpoints of the node in addition to those of every rollup of its kind; undefined if it does not state them. */
  offers?(signal: AbortSignal): Promise<Offers | undefined>;
  /** Content of a transaction of the rollup, if its node can tell; undefined if not. */
  decode?(bytes: Uint8Array, signal: AbortSignal): Promise<unknown>;
}

/** One kind of rollup, as the indexer reads it. */
export interface RollupReader {
  readonly node: AnyRollupNode;
  /** Deletes all that the index has of a rollup that was reset. */
  clear(rollup: RollupId): readonly Statement[];
  /** Consecutive blocks, at least the first: as many as fit one batch, and no more than `most`. */
  blocks(from: number, most: number, signal: AbortSignal): Promise<RollupBlocks>;
}

/** Fetched blocks, and their rows in the index. */
export interface RollupBlocks {
  readonly links: readonly BlockLink[];
  /**
   * Called when all blocks before are in the index.
   *
   * @param seen When the explorer first had them, in milliseconds since the Unix epoch; 0 for blocks that were old by then.
   */
  rows(rollup: RollupId, seen: number, signal: AbortSignal): Promise<readonly Statement[]>;
}

export interface BlockLink {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}
