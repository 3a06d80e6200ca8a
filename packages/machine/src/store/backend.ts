import type { Changes } from './overlay.ts';
import type { RangeOptions, StateReader } from './store.ts';

/** A committed version as a backend holds it. Reads throw after `release`. */
export interface BackendView extends StateReader {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
  page(path: string): Uint8Array | undefined;
  range(options: RangeOptions): Array<readonly [string, Uint8Array]>;
  release(): void;
}

/** Everything one commit writes. */
export interface Batch {
  /** Height that must be on disk before: another process at work on the same files is found out here. */
  readonly from: bigint | undefined;
  readonly height: bigint;
  readonly root: Uint8Array;
  readonly state: Changes;
  readonly pages: Changes;
}

/** Where committed state lives. `createStore` puts layers, roots and proofs on top. */
export interface Backend {
  /** The version on disk now. */
  view(): BackendView;
  /** All or nothing, and durable when it resolves. Called once at a time. */
  write(batch: Batch): Promise<void>;
  close(): Promise<void>;
}
