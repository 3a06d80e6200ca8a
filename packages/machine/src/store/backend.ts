import type { Changes } from './changes.ts';
import type { StateReader } from './state.ts';

/** Everything one commit writes. */
export interface Batch {
  /** Height that must be on disk before: another process at work on the same files is found out here. */
  readonly from: bigint | undefined;
  readonly height: bigint;
  readonly root: Uint8Array;
  readonly state: Changes;
  readonly pages: Changes;
}

/** Storage of the committed version. `createStore` puts layers, roots and proofs on top. */
export interface Backend extends StateReader {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
  page(path: string): Uint8Array | undefined;
  /** All or nothing, and durable when it returns. Synchronous, so no reader ever sees half of it. */
  write(batch: Batch): void;
  close(): Promise<void>;
}
