/**
 * Commitment of a payer to a blob: the Merkle root (RFC 6962) over the roots of subtrees that stand in the square wherever
 * the blob is put, so that the commitment is found there again.
 *
 * @see go-square v4, inclusion/commitment.go, with a subtree root threshold of 64
 */
import { merkleRoot } from '../blocks/merkle.ts';
import { namespaceBytes } from './namespace.ts';
import { type CelestiaBlob, sharesOfBlob } from './shares.ts';
import { namespacedTree, rootOfTree } from './tree.ts';

const SUBTREE_ROOT_THRESHOLD = 64;

/** 32 bytes. @throws {Rejected} `empty` for a blob without data. */
export function blobCommitment(blob: CelestiaBlob): Uint8Array {
  const shares = sharesOfBlob(blob);
  const namespace = namespaceBytes(blob.namespace);
  return merkleRoot(
    subtreeSizes(shares.length).map(({ start, size }) =>
      rootOfTree(namespacedTree(shares.slice(start, start + size), () => namespace)),
    ),
  );
}

/** Leaves of the largest subtrees of a blob of this many shares: a power of two. */
export function subtreeWidth(shares: number): number {
  const byThreshold = powerOfTwoFrom(Math.ceil(shares / SUBTREE_ROOT_THRESHOLD));
  // That of the smallest square that holds the blob.
  let square = 1;
  while (square * square < shares) square *= 2;
  return Math.min(byThreshold, square);
}

/** Subtrees of the largest width, then the rest in falling powers of two. */
function subtreeSizes(shares: number): { readonly start: number; readonly size: number }[] {
  const sizes: { start: number; size: number }[] = [];
  let size = subtreeWidth(shares);
  for (let start = 0; start < shares; start += size) {
    while (size > shares - start) size /= 2;
    sizes.push({ start, size });
  }
  return sizes;
}

function powerOfTwoFrom(least: number): number {
  let power = 1;
  while (power < least) power *= 2;
  return power;
}
