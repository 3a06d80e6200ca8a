/** That one rollup's data stands at one place of a sequencer block, for a reader that has the block's signed header. */

import { equalBytes, type RollupId, rollupIdBytes } from '../accounts/ids.ts';
import { HASH_LENGTH, sha256 } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';
import { type FilteredBlock, type RollupEntry, rollupLeaf } from './block.ts';
import { type MerkleProof, merkleProof, merkleRoot, verifyMerkleProof } from './merkle.ts';

export interface InclusionProof {
  readonly rollup: RollupId;
  /** Encoded RollupData: a user's submission, or a deposit. */
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

/** Proof of all the data that a rollup has in a block, or that it has none there. */
export type RollupDataProof =
  | Pick<InclusionProof, 'rollup' | 'dataRoot' | 'rollupProof' | 'rollupTransactionsRoot' | 'entryProof'>
  | {
      readonly rollup: RollupId;
      readonly dataRoot: undefined;
      /** All rollups of the block, in order. */
      readonly rollups: readonly RollupId[];
      /** Proof of the root over these ids, which is the second entry of the block. */
      readonly entryProof: MerkleProof;
    };

/** @throws {Rejected} `malformed` if the block has data of the rollup and it was left out. */
export function proveRollupData(block: FilteredBlock, rollup: RollupId): RollupDataProof {
  const entry = block.rollups.find((each) => each.rollup === rollup);
  if (entry !== undefined) {
    return allOf(block, entry);
  }
  if (block.allRollupIds.includes(rollup)) {
    throw new Rejected('malformed', { block: block.header.height, rollup, problem: 'data of the rollup was left out' });
  }
  return { rollup, dataRoot: undefined, rollups: block.allRollupIds, entryProof: block.rollupIdsProof };
}

function allOf({ header, rollupTransactionsProof }: FilteredBlock, { rollup, transactions, proof }: RollupEntry) {
  return {
    rollup,
    dataRoot: merkleRoot(transactions),
    rollupProof: proof,
    rollupTransactionsRoot: header.rollupTransactionsRoot,
    entryProof: rollupTransactionsProof,
  };
}

/** Whether this is all that the block with this data hash has of the rollup. */
export function verifyRollupData(proof: RollupDataProof, dataHash: Uint8Array): boolean {
  const { entryProof } = proof;
  if (proof.dataRoot === undefined) {
    const ids = proof.rollups.map(rollupIdBytes);
    const wanted = rollupIdBytes(proof.rollup);
    // Bytes are compared: ids of an answer may be in another letter case.
    const isAbsent = ids.every((id) => id.length === wanted.length && !equalBytes(id, wanted));
    return isAbsent && entryProof.index === 1 && verifyMerkleProof(entryProof, sha256(merkleRoot(ids)), dataHash);
  }
  return (
    proof.dataRoot.length === HASH_LENGTH &&
    verifyMerkleProof(proof.rollupProof, rollupLeaf(proof.rollup, proof.dataRoot), proof.rollupTransactionsRoot) &&
    entryProof.index === 0 &&
    verifyMerkleProof(entryProof, sha256(proof.rollupTransactionsRoot), dataHash)
  );
}

/** @param position Among the data of the rollup. @throws {Rejected} `malformed` if the block does not hold it. */
export function proveInclusion(block: FilteredBlock, rollup: RollupId, position: number): InclusionProof {
  const entry = block.rollups.find((each) => each.rollup === rollup);
  const data = entry?.transactions[position];
  if (entry === undefined || data === undefined) {
    throw new Rejected('malformed', { block: block.header.height, rollup, position, problem: 'not in the block' });
  }
  const dataProof = merkleProof(entry.transactions, position);
  return { data, dataProof, ...allOf(block, entry) };
}

/**
 * Whether the data is in the block with this data hash. That the hash is the block's is shown by its header, and that by a
 * commit (`verifyCommit`).
 */
export function verifyInclusion(proof: InclusionProof, dataHash: Uint8Array): boolean {
  return verifyMerkleProof(proof.dataProof, proof.data, proof.dataRoot) && verifyRollupData(proof, dataHash);
}
