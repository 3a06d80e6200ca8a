/** Sequencer blocks in the form posted to a data-availability layer: a part that all readers share, and the data of each rollup apart. */

import type { RollupId } from '../accounts/ids.ts';
import type { FilteredBlock, SequencerBlock } from '../blocks/block.ts';
import type { MerkleProof } from '../blocks/merkle.ts';
import type { SignedHeader, Validator } from '../comet/types.ts';

/** `astria.sequencerblock.v1.SubmittedMetadata`, in the namespace of the sequencer. */
export interface PostedMetadata
  extends Pick<SequencerBlock, 'hash' | 'header' | 'rollupTransactionsProof' | 'rollupIdsProof'> {
  /** Ids of all rollups with data in the block, ascending. */
  readonly rollupIds: readonly RollupId[];
  /** Evidence that makes the block provable without asking the sequencer; absent in blobs of the reference's relayer. */
  readonly signed?: SignedHeader | undefined;
  /** Validators that signed it, in their order; if readers cannot have them from an earlier block. */
  readonly validators?: readonly Validator[] | undefined;
}

/** `astria.sequencerblock.v1.SubmittedRollupData`, in the namespace of the rollup. */
export interface PostedRollupData {
  /** 32 bytes. */
  readonly blockHash: Uint8Array;
  readonly rollup: RollupId;
  /** Encoded RollupData: submissions in order, then deposits. */
  readonly transactions: readonly Uint8Array[];
  /** Under the header's `rollupTransactionsRoot`. */
  readonly proof: MerkleProof;
}

/** @param validators If readers need them: the set that signed the block. */
export function postedMetadata(
  { hash, header, rollups, rollupTransactionsProof, rollupIdsProof }: SequencerBlock,
  signed: SignedHeader,
  validators?: readonly Validator[],
): PostedMetadata {
  const rollupIds = rollups.map(({ rollup }) => rollup);
  return { hash, header, rollupIds, rollupTransactionsProof, rollupIdsProof, signed, validators };
}

export function postedRollupData({ hash, rollups }: SequencerBlock): readonly PostedRollupData[] {
  return rollups.map(({ rollup, transactions, proof }) => ({ blockHash: hash, rollup, transactions, proof }));
}

/**
 * Joins the two parts, with nothing verified: `verifyFilteredBlock` and `verifyCommit` decide.
 *
 * @param data Undefined if the block has nothing for the rollup.
 */
export function blockFromPosted(metadata: PostedMetadata, data: PostedRollupData | undefined): FilteredBlock {
  const { hash, header, rollupIds, rollupTransactionsProof, rollupIdsProof } = metadata;
  const rollups =
    data === undefined ? [] : [{ rollup: data.rollup, transactions: data.transactions, proof: data.proof }];
  return { hash, header, rollups, rollupTransactionsProof, rollupIdsProof, allRollupIds: rollupIds };
}
