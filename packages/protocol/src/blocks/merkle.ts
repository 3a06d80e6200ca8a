/**
 * RFC 6962 trees over SHA-256: a leaf is H(00 || data), a node H(01 || left || right). Of n leaves, the left subtree
 * has the largest power of two below n, which is the same as pairing each level and letting an odd node rise.
 */

import { equalBytes } from '../accounts/ids.ts';
import { HASH_LENGTH, sha256, sha256Into } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';
import type { Proof } from '../gen/astria/primitive/v1/types_pb.ts';

/** That a leaf stands at `index` in a tree of `leaves` leaves. `path` holds the siblings from leaf to root. */
export interface MerkleProof {
  readonly path: readonly Uint8Array[];
  readonly index: number;
  readonly leaves: number;
}

const EMPTY_ROOT = sha256();
/** Positions are kept as 32-bit numbers; no tree of ours comes near. */
const MAX_LEAVES = 2 ** 31;

/** The root of no leaves is H(""). */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_ROOT.slice();
  const nodes = leafHashes(leaves);
  const scratch = nodeScratch();
  for (let count = leaves.length; count > 1; count = (count + 1) >>> 1) raise(nodes, count, nodes, scratch);
  return nodes.slice(0, HASH_LENGTH);
}

export function merkleProof(leaves: readonly Uint8Array[], index: number): MerkleProof {
  if (!(index in leaves)) throw new RangeError(`leaf ${index} of a tree with ${leaves.length} leaves`);
  return proofAt(computeLevels(leaves), leaves.length, index);
}

/** The proofs of all leaves, from one walk over the tree. */
export function merkleProofs(leaves: readonly Uint8Array[]): MerkleProof[] {
  const levels = computeLevels(leaves);
  return leaves.map((_, index) => proofAt(levels, leaves.length, index));
}

/** The root and the proofs of some leaves, from one walk over the tree. */
export function merkleProofsAt(
  leaves: readonly Uint8Array[],
  indices: readonly number[],
): { readonly root: Uint8Array; readonly proofs: readonly MerkleProof[] } {
  const levels = computeLevels(leaves);
  const root = levels.at(-1);
  return {
    root: leaves.length === 0 || root === undefined ? EMPTY_ROOT.slice() : root.slice(0, HASH_LENGTH),
    proofs: indices.map((index) => proofAt(levels, leaves.length, index)),
  };
}

/** Checks the hashes, and that the path is as long as the position in the tree demands. */
export function verifyMerkleProof(proof: MerkleProof, leaf: Uint8Array, root: Uint8Array): boolean {
  const { path, leaves } = proof;
  let { index } = proof;
  if (!(index >= 0 && index < leaves)) return false;
  const scratch = nodeScratch();
  const hash = leafHashes([leaf]);
  let used = 0;
  for (let count = leaves; count > 1; count = (count + 1) >>> 1, index >>>= 1) {
    if (index === count - 1 && count % 2 === 1) continue;
    const sibling = path[used++];
    if (sibling?.length !== HASH_LENGTH) return false;
    const [left, right] = index % 2 === 1 ? [sibling, hash] : [hash, sibling];
    scratch.set(left, 1);
    scratch.set(right, 1 + HASH_LENGTH);
    sha256Into(scratch, hash, 0);
  }
  return used === path.length && equalBytes(hash, root);
}

export function proofToWire(proof: MerkleProof): Pick<Proof, 'auditPath' | 'leafIndex' | 'treeSize'> {
  const auditPath = new Uint8Array(HASH_LENGTH * proof.path.length);
  for (const [position, sibling] of proof.path.entries()) auditPath.set(sibling, HASH_LENGTH * position);
  // The wire counts nodes, not leaves.
  return { auditPath, leafIndex: BigInt(proof.index), treeSize: 2n * BigInt(proof.leaves) - 1n };
}

/** @throws {Rejected} `malformed` for sizes and positions that no tree has. */
export function proofFromWire({
  auditPath,
  leafIndex,
  treeSize,
}: Pick<Proof, 'auditPath' | 'leafIndex' | 'treeSize'>): MerkleProof {
  const leaves = (treeSize + 1n) / 2n;
  if (treeSize % 2n === 0n || leaves > MAX_LEAVES)
    throw new Rejected('malformed', { field: 'tree size', got: treeSize });
  if (leafIndex >= leaves) throw new Rejected('malformed', { field: 'leaf index', got: leafIndex, leaves });
  if (auditPath.length % HASH_LENGTH !== 0) {
    throw new Rejected('malformed', { field: 'audit path', got: `${auditPath.length} bytes` });
  }
  const path: Uint8Array[] = [];
  for (let at = 0; at < auditPath.length; at += HASH_LENGTH) path.push(auditPath.subarray(at, at + HASH_LENGTH));
  return { path, index: Number(leafIndex), leaves: Number(leaves) };
}

/** All leaf hashes in one array, one after the other. */
function leafHashes(leaves: readonly Uint8Array[]): Uint8Array {
  let longest = 0;
  for (const leaf of leaves) if (leaf.length > longest) longest = leaf.length;
  const scratch = new Uint8Array(1 + longest);
  const nodes = new Uint8Array(HASH_LENGTH * leaves.length);
  for (const [index, leaf] of leaves.entries()) {
    scratch.set(leaf, 1);
    sha256Into(scratch.subarray(0, 1 + leaf.length), nodes, HASH_LENGTH * index);
  }
  return nodes;
}

function nodeScratch(): Uint8Array {
  const scratch = new Uint8Array(1 + 2 * HASH_LENGTH);
  scratch[0] = 1;
  return scratch;
}

/** Computes the level above `count` nodes; `into` may be the same array. */
function raise(nodes: Uint8Array, count: number, into: Uint8Array, scratch: Uint8Array): void {
  const pairs = count >>> 1;
  for (let pair = 0; pair < pairs; pair++) {
    const from = 2 * HASH_LENGTH * pair;
    for (let index = 0; index < 2 * HASH_LENGTH; index++) scratch[1 + index] = nodes[from + index] ?? 0;
    sha256Into(scratch, into, HASH_LENGTH * pair);
  }
  if (count % 2 === 1) into.set(nodes.subarray(HASH_LENGTH * (count - 1), HASH_LENGTH * count), HASH_LENGTH * pairs);
}

function computeLevels(leaves: readonly Uint8Array[]): readonly Uint8Array[] {
  const levels = [leafHashes(leaves)];
  const scratch = nodeScratch();
  for (let count = leaves.length; count > 1; count = (count + 1) >>> 1) {
    const above = new Uint8Array(HASH_LENGTH * ((count + 1) >>> 1));
    raise(levels.at(-1) ?? above, count, above, scratch);
    levels.push(above);
  }
  return levels;
}

function proofAt(levels: readonly Uint8Array[], leaves: number, index: number): MerkleProof {
  const path: Uint8Array[] = [];
  for (let [level, position] = [0, index]; level < levels.length - 1; level++, position >>>= 1) {
    const sibling = HASH_LENGTH * (position ^ 1);
    const nodes = levels[level];
    // The last node of an odd level has no sibling and rises unchanged.
    if (nodes !== undefined && sibling < nodes.length) path.push(nodes.slice(sibling, sibling + HASH_LENGTH));
  }
  return { path, index, leaves };
}
