import { abci } from '@switchyard/protocol/gen';

/** The four calls by which a new node gets a state instead of all blocks. */
export interface StateSync {
  /** A block is on disk. */
  committed(height: bigint): void;
  list(): abci.Snapshot[];
  offer(request: abci.RequestOfferSnapshot): abci.OfferResult;
  load(request: abci.RequestLoadSnapshotChunk): Uint8Array;
  apply(request: abci.RequestApplySnapshotChunk): Promise<{
    readonly result: abci.ApplyResult;
    readonly refetchChunks?: number[];
    readonly rejectSenders?: string[];
  }>;
}

/** A node without snapshots: it has none to give, and takes none. */
export const noStateSync: StateSync = {
  committed: () => undefined,
  list: () => [],
  offer: () => abci.OfferResult.REJECT,
  load: () => new Uint8Array(),
  apply: async () => ({ result: abci.ApplyResult.ABORT }),
};
