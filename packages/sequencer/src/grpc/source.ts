import type { RollupId } from '@switchyard/protocol';
import type { BlockFeed } from '../engine/engine.ts';
import type { BlockSource, SignedFilteredBlock } from './follow.ts';

interface Deps {
  readonly blocks: { filtered(height: bigint, rollups: readonly RollupId[]): Uint8Array | undefined };
  readonly feed: BlockFeed;
  /** The first block that is kept. */
  lowest(): bigint;
}

/** Joins the application's blocks with the engine's signatures. A block is there when both are. */
export class SignedBlocks implements BlockSource {
  readonly #deps: Deps;
  readonly #listeners = new Set<() => void>();
  #latest = 0n;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.feed.onBlock((height) => this.reached(height));
  }

  latest(): bigint {
    return this.#latest;
  }

  lowest(): bigint {
    return this.#deps.lowest();
  }

  /** Announces a height. The one from before the start is announced once, when the engine has opened its records. */
  reached(height: bigint): void {
    if (height <= this.#latest || this.#deps.feed.commits.encodedAt(height) === undefined) return;
    this.#latest = height;
    for (const listener of this.#listeners) listener();
  }

  at(height: bigint, rollup: RollupId): SignedFilteredBlock | undefined {
    const block = this.#deps.blocks.filtered(height, [rollup]);
    const signedHeader = this.#deps.feed.commits.encodedAt(height);
    return block && signedHeader && { block, signedHeader };
  }

  onBlock(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
