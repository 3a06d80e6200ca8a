import type { StateProof } from '@switchyard/protocol';
import type { Overlay } from './overlay.ts';
import type { StateReader } from './state.ts';

/** Keys that start so are stored in the same batch but are no part of the root: blocks, texts, receipts. */
export const INDEX_PREFIX = 'index/';

/**
 * The last committed version, for queries.
 *
 * Good until the next commit; reads after that throw. Commits do not interrupt running code, so a query that
 * takes a snapshot and reads it without waiting in between sees one version.
 */
export interface Snapshot extends StateReader {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
  /** Proves the value of `key` against `root`, or that there is none. Throws for a key outside the tree. */
  prove(key: string): StateProof;
}

/** The state after one block: sealed, its root known, maybe not on disk yet. */
export interface Layer extends StateReader {
  readonly height: bigint;
  readonly root: Uint8Array;
  /** Number of keys it changes. */
  readonly size: number;
}

/** Base on which the next block is executed. */
export interface Head extends StateReader {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
}

export interface Store {
  /** The last committed version. Cheap. */
  snapshot(): Snapshot;
  /** Top of the sealed layers, else the committed state. */
  head(): Head;
  /** Writes on top of the head, or of `layer`. */
  begin(layer?: Layer): Overlay;
  /**
   * Closes a block: computes its root and makes it the head. Writes nothing to disk.
   *
   * @throws {Error} when the overlay was not made by `begin`, its base is gone, or `height` does not rise.
   */
  seal(overlay: Overlay, height: bigint): Layer;
  /** Forgets every sealed layer that is not committed. */
  drop(): void;
  /**
   * Puts all layers up to this one on disk in one durable atomic batch: state, tree, height and root.
   * Layers that do not build on it are forgotten. When it fails nothing has changed.
   *
   * The write is done when this returns and blocks the thread. It holds its disk pages in memory in the meantime,
   * up to 4 KiB a key: some thousands of changed keys at once are good, a hundred thousand are too many.
   */
  commit(upTo: Layer): Promise<void>;
  close(): Promise<void>;
}
