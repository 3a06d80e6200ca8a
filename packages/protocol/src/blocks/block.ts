/** Sequencer blocks: each rollup's data, and the proofs that tie it to the hash of the block's entries. */

import { equalBytes, type RollupId, rollupIdBytes } from '../accounts/ids.ts';
import { sha256 } from '../bytes/hash.ts';
import type { Timestamp } from '../bytes/timestamp.ts';
import { Rejected } from '../errors.ts';
import { type MerkleProof, merkleProofs, merkleProofsAt, merkleRoot, verifyMerkleProof } from './merkle.ts';

export interface SequencerHeader {
  readonly chainId: string;
  readonly height: bigint;
  readonly time: Timestamp;
  /** Root over the hashes of all entries of the block; equal to CometBFT's data hash. */
  readonly dataHash: Uint8Array;
  /** 20 bytes. */
  readonly proposer: Uint8Array;
  readonly rollupTransactionsRoot: Uint8Array;
}

/** Data of one rollup in a block. */
export interface RollupEntry {
  readonly rollup: RollupId;
  /** Encoded RollupData: submissions in order, then deposits. */
  readonly transactions: readonly Uint8Array[];
  /** Under the header's `rollupTransactionsRoot`. */
  readonly proof: MerkleProof;
}

export interface SequencerBlock {
  /** CometBFT's hash of the block, 32 bytes. */
  readonly hash: Uint8Array;
  readonly header: SequencerHeader;
  /** In ascending order of id. */
  readonly rollups: readonly RollupEntry[];
  readonly rollupTransactionsProof: MerkleProof;
  readonly rollupIdsProof: MerkleProof;
}

/** A block with the data of some rollups, and the ids of all. */
export interface FilteredBlock extends SequencerBlock {
  readonly allRollupIds: readonly RollupId[];
}

/** Commitment of a proposer: the two roots that become the first two entries of the block. */
export interface RollupCommitment {
  readonly rollups: readonly RollupEntry[];
  readonly rollupTransactionsRoot: Uint8Array;
  readonly rollupIdsRoot: Uint8Array;
}

export function commitRollupData(byRollup: ReadonlyMap<RollupId, readonly Uint8Array[]>): RollupCommitment {
  // Hex in lower case sorts as its bytes do.
  const sorted = [...byRollup].sort(([left], [right]) => (left < right ? -1 : 1));
  const leaves = sorted.map(([rollup, transactions]) => rollupLeaf(rollup, merkleRoot(transactions)));
  const proofs = merkleProofs(leaves);
  return {
    rollups: sorted.map(([rollup, transactions], index) => ({ rollup, transactions, proof: at(proofs, index) })),
    rollupTransactionsRoot: merkleRoot(leaves),
    rollupIdsRoot: merkleRoot(sorted.map(([rollup]) => rollupIdBytes(rollup))),
  };
}

export interface BlockParts extends Omit<SequencerHeader, 'dataHash' | 'rollupTransactionsRoot'> {
  readonly hash: Uint8Array;
  /** All entries of the block: the two roots, then the transactions. */
  readonly items: readonly Uint8Array[];
  /** SHA-256 of an entry, if the caller has it: of a transaction it is its hash. Asked by position. */
  readonly itemHash?: (index: number) => Uint8Array | undefined;
  readonly committed: RollupCommitment;
}

/** @throws {Error} if the entries do not begin with the two roots, which the application has checked before. */
export function buildSequencerBlock({ hash, items, itemHash, committed, ...parts }: BlockParts): SequencerBlock {
  const { rollups, rollupTransactionsRoot, rollupIdsRoot } = committed;
  const [first, second] = items;
  if (!first || !second || !equalBytes(first, rollupTransactionsRoot) || !equalBytes(second, rollupIdsRoot)) {
    throw new Error(`block ${parts.height} does not begin with the roots of its rollup data`);
  }
  const leaves = items.map((item, index) => itemHash?.(index) ?? sha256(item));
  const { root, proofs } = merkleProofsAt(leaves, [0, 1]);
  const { chainId, height, time, proposer } = parts;
  return {
    hash,
    header: { chainId, height, time, dataHash: root, proposer, rollupTransactionsRoot },
    rollups,
    rollupTransactionsProof: at(proofs, 0),
    rollupIdsProof: at(proofs, 1),
  };
}

/**
 * Checks that the data delivered is all that the block holds for the rollups asked for, in the block's order, down to
 * `header.dataHash`. Whether that hash is right is decided by the signed header.
 *
 * @throws {Rejected} `malformed`, with what does not fit.
 */
export function verifyFilteredBlock(block: FilteredBlock, wanted: readonly RollupId[]): void {
  const { header, allRollupIds, rollupTransactionsProof, rollupIdsProof } = block;
  verifyEntry(block, 0, rollupTransactionsProof, header.rollupTransactionsRoot);
  verifyEntry(block, 1, rollupIdsProof, merkleRoot(allRollupIds.map(rollupIdBytes)));
  if (rollupTransactionsProof.leaves !== rollupIdsProof.leaves) throw invalid(block, 'proofs of trees of two sizes');
  for (const [index, id] of allRollupIds.entries()) {
    const before = allRollupIds[index - 1];
    if (before !== undefined && before >= id) throw invalid(block, 'rollup ids out of order');
  }
  verifyRollups(block);
  const delivered = new Set(block.rollups.map(({ rollup }) => rollup));
  for (const id of wanted) {
    if (!delivered.has(id) && allRollupIds.includes(id)) throw invalid(block, 'data of a rollup withheld', id);
  }
}

function verifyRollups(block: FilteredBlock): void {
  const seen = new Set<RollupId>();
  for (const { rollup, transactions, proof } of block.rollups) {
    const index = block.allRollupIds.indexOf(rollup);
    if (index < 0) throw invalid(block, 'data of a rollup that is not listed', rollup);
    if (seen.has(rollup)) throw invalid(block, 'data of a rollup twice', rollup);
    seen.add(rollup);
    const placed = proof.index === index && proof.leaves === block.allRollupIds.length;
    const leaf = rollupLeaf(rollup, merkleRoot(transactions));
    if (!placed || !verifyMerkleProof(proof, leaf, block.header.rollupTransactionsRoot)) {
      throw invalid(block, 'data that its proof does not cover', rollup);
    }
  }
}

/** The roots are the first entries of a block; an entry's leaf is its hash. */
function verifyEntry(block: FilteredBlock, index: number, proof: MerkleProof, root: Uint8Array): void {
  if (proof.index === index && verifyMerkleProof(proof, sha256(root), block.header.dataHash)) return;
  throw invalid(block, index === 0 ? 'root of rollup data not in the block' : 'root of rollup ids not in the block');
}

/** A rollup's leaf under `rollupTransactionsRoot`. @param root Over its data. */
export function rollupLeaf(rollup: RollupId, root: Uint8Array): Uint8Array {
  const leaf = new Uint8Array(64);
  leaf.set(rollupIdBytes(rollup));
  leaf.set(root, 32);
  return leaf;
}

function invalid({ header }: FilteredBlock, problem: string, rollup?: RollupId): Rejected {
  return new Rejected('malformed', { block: header.height, problem, ...(rollup && { rollup }) });
}

/** One proof for each leaf, so none is missing. */
function at(proofs: readonly MerkleProof[], index: number): MerkleProof {
  const proof = proofs[index];
  if (proof === undefined) throw new RangeError(`no proof ${index}`);
  return proof;
}
