/** That one rollup's data stands at one place of a sequencer block, for whoever has the block's signed header. */
import { type FilteredBlock, rollupLeaf } from './block.ts';
import { Rejected } from './errors.ts';
import { sha256 } from './hash.ts';
import type { RollupId } from './ids.ts';
import { type MerkleProof, merkleProof, merkleRoot, verifyMerkleProof } from './merkle.ts';

export interface InclusionProof {
  readonly rollup: RollupId;
  /** Encoded RollupData: what a user submitted, or a deposit. */
  readonly data: Uint8Array;
  /** Proof of the data, under the root over all of its rollup's data in the block. */
  readonly dataProof: MerkleProof;
  readonly dataRoot: Uint8Array;
  /** Proof of the rollup, under the root over all rollups of the block. */
  readonly rollupProof: MerkleProof;
  readonly rollupTransactionsRoot: Uint8Array;
  /** Proof of that root, which is the first entry of the block, under the data hash of the header. */
  readonly entryProof: MerkleProof;
}

/** @param position Among the data of the rollup. @throws {Rejected} `malformed` where the block does not hold it. */
export function proveInclusion(block: FilteredBlock, rollup: RollupId, position: number): InclusionProof {
  const entry = block.rollups.find((each) => each.rollup === rollup);
  const data = entry?.transactions[position];
  if (entry === undefined || data === undefined) {
    throw new Rejected('malformed', { block: block.header.height, rollup, position, problem: 'not in the block' });
  }
  return {
    rollup,
    data,
    dataProof: merkleProof(entry.transactions, position),
    dataRoot: merkleRoot(entry.transactions),
    rollupProof: entry.proof,
    rollupTransactionsRoot: block.header.rollupTransactionsRoot,
    entryProof: block.rollupTransactionsProof,
  };
}

/**
 * Whether the data is in the block with this data hash. That the hash is the block's is shown by its header, and that by a
 * commit (`verifyCommit`).
 */
export function verifyInclusion(proof: InclusionProof, dataHash: Uint8Array): boolean {
  return (
    verifyMerkleProof(proof.dataProof, proof.data, proof.dataRoot) &&
    verifyMerkleProof(proof.rollupProof, rollupLeaf(proof.rollup, proof.dataRoot), proof.rollupTransactionsRoot) &&
    proof.entryProof.index === 0 &&
    verifyMerkleProof(proof.entryProof, sha256(proof.rollupTransactionsRoot), dataHash)
  );
}
