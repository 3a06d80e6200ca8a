import type { FilteredBlock, RollupId, SignedHeader, Validator } from '@switchyard/protocol';

/** Part of a sequencer that the conductor needs; a sequencer client of `@switchyard/client` has it. Nothing is verified. */
export interface SequencerSource {
  genesisChainId(signal?: AbortSignal): Promise<string>;
  latestHeight(signal?: AbortSignal): Promise<bigint>;
  filteredBlock(height: bigint, rollup: RollupId, signal?: AbortSignal): Promise<FilteredBlock>;
  commit(height: bigint, signal?: AbortSignal): Promise<SignedHeader>;
  validators(height: bigint, signal?: AbortSignal): Promise<readonly Validator[]>;
  /** From a height on, without a gap, then each new one. Ends only by an error. */
  streamFilteredBlocks(from: bigint, rollup: RollupId, signal: AbortSignal): AsyncIterable<PushedBlocks>;
}

export interface PushedBlocks {
  /** Encoded; none in a sign of life. */
  readonly blocks: readonly { readonly block: Uint8Array; readonly signedHeader: Uint8Array }[];
  readonly latest: bigint;
}
