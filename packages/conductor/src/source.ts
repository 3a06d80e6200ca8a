import type { SequencerClient } from '@switchyard/client';

/** Part of a sequencer client that the conductor needs. Nothing is verified. */
export type SequencerSource = Pick<
  SequencerClient,
  'genesisChainId' | 'latestHeight' | 'filteredBlock' | 'commit' | 'validators' | 'streamFilteredBlocks'
>;
