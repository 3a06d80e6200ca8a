import type { RollupId } from '@switchyard/protocol';
import type { SequencerApplication } from '../app/application.ts';
import type { BlockFeed } from '../engine/engine.ts';
import type { BlockSource, SignedFilteredBlock } from './follow.ts';

type App = Pick<SequencerApplication, 'blocks' | 'lowest'>;

/** Joins the application's blocks with the engine's signatures. A block is there when both are. */
export class SignedBlocks implements BlockSource {
  readonly #app: App;
  readonly #feed: BlockFeed;
  readonly #listeners = new Set<() => void>();
  #latest = 0n;

  constructor(app: App, feed: BlockFeed) {
    this.#app = app;
    this.#feed = feed;
    feed.onBlock((height) => this.reached(height));
  }

  latest(): bigint {
    return this.#latest;
  }

  lowest(): bigint {
    return this.#app.lowest;
  }

  /** Announces a height. The one from before the start is announced once, when the engine has opened its records. */
  reached(height: bigint): void {
    if (height <= this.#latest || this.#feed.commits.encodedAt(height) === undefined) return;
    this.#latest = height;
    for (const listener of this.#listeners) listener();
  }

  at(height: bigint, rollup: RollupId): SignedFilteredBlock | undefined {
    const block = this.#app.blocks.filtered(height, [rollup]);
    const signedHeader = this.#feed.commits.encodedAt(height);
    return block && signedHeader && { block, signedHeader };
  }

  onBlock(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
