/**
 * Proofs that leaves stand in the tree of a row, next to each other, and that they are all of a namespace.
 *
 * The width of a tree is known from the header, so a walk over it has a fixed shape: it asks for exactly the siblings that
 * this range needs, and none can be left over. A node in the place of a leaf has the wrong hash, since depths are fixed.
 *
 * @see celestiaorg/nmt v0.24, proof.go, `VerifyNamespace`
 */

import { equalBytes } from '../accounts/ids.ts';
import { type Facts, Rejected } from '../errors.ts';
import { type Namespace, namespaceBytes, RESERVED_NAMESPACES } from './namespace.ts';
import { compareMax, compareMin, compareNamespaces, createNodeHasher, NODE_LENGTH, type NodeHasher } from './nodes.ts';

/** That leaves stand at `start` up to but not including `end`. `nodes` holds the siblings, 90 bytes each, from left to right. */
export interface RangeProof {
  readonly start: number;
  readonly end: number;
  readonly nodes: readonly Uint8Array[];
}

/** A {@link RangeProof} over all leaves of a namespace, or over the leaf in the place of the first. */
export interface NamespaceProof extends RangeProof {
  /** That leaf, 90 bytes; undefined if the namespace has leaves. */
  readonly absent: Uint8Array | undefined;
}

export interface Row {
  /** 90 bytes, from a data availability header that was verified. */
  readonly root: Uint8Array;
  /** Leaves of its tree: as many as the header has rows. A power of two. */
  readonly width: number;
}

/**
 * Checks that `shares` are all that the row has of the namespace: that they lead to its root, that the shares left of them are
 * of smaller namespaces and the shares right of them of larger ones. Without shares, that a larger one stands in the place in which the first
 * would be. A row whose range does not cover the namespace needs no proof.
 *
 * @throws {Rejected} `malformed`
 */
export function verifyNamespaceProof(
  { root, width }: Row,
  namespace: Namespace,
  shares: readonly Uint8Array[],
  proof: NamespaceProof,
): void {
  // Parity is outside of the ranges that nodes have, so its absence cannot be seen from them.
  if (namespace === RESERVED_NAMESPACES.parity) throw invalid('namespace of parity');
  const bytes = namespaceBytes(namespace);
  const { start, end, absent } = proof;
  if (absent === undefined) checkCount(shares, proof);
  else if (shares.length > 0) throw invalid('shares with a proof that there are none');
  else if (end - start !== 1) throw invalid('not one leaf for absent shares', { start, end });
  else if (absent.length !== NODE_LENGTH || compareMin(absent, bytes) <= 0) throw invalid('leaf that is not above');
  const found = rootOver(
    width,
    proof,
    (low, size, nodes, offset, hasher) => {
      if (size > 1) return false;
      const share = shares[low - start];
      if (absent !== undefined) nodes.set(absent, offset);
      else if (share !== undefined) {
        if (compareNamespaces(share, 0, bytes, 0) !== 0) throw invalid('share of another namespace', { leaf: low });
        hasher.leaf(bytes, share, nodes, offset);
      }
      return true;
    },
    (sibling, isLeft) => {
      // Leaves below a sibling may have this namespace, and were left out.
      if (isLeft ? compareMax(sibling, bytes) >= 0 : compareMin(sibling, bytes) <= 0) throw invalid('leaves left out');
    },
  );
  if (!equalBytes(found, root)) throw invalid('other root');
}

/** Writes the node over the `size` leaves from `low`, some or all in the range. Returns false to be called for its halves. */
type Writes = (low: number, size: number, nodes: Uint8Array, offset: number, hasher: NodeHasher) => boolean;

/** The root of a tree of `width` leaves, of which `write` has those of the range, and the proof the others. */
function rootOver(
  width: number,
  { start, end, nodes: siblings }: RangeProof,
  write: Writes,
  checkSibling?: (sibling: Uint8Array, isLeft: boolean) => void,
): Uint8Array {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || start >= end || end > width) {
    throw invalid('no range of the row', { start, end, width });
  }
  const hasher = createNodeHasher();
  // A place for each level, and one more.
  const nodes = new Uint8Array(NODE_LENGTH * (33 - Math.clz32(width)));
  let used = 0;
  const visit = (low: number, size: number, offset: number): void => {
    if (low + size <= start || low >= end) {
      const sibling = siblings[used++];
      if (sibling?.length !== NODE_LENGTH) throw invalid('sibling missing', { leaf: low });
      checkSibling?.(sibling, low < start);
      nodes.set(sibling, offset);
      return;
    }
    if (write(low, size, nodes, offset, hasher)) return;
    if (size <= 1) throw invalid('nothing covers a leaf', { leaf: low });
    visit(low, size / 2, offset);
    visit(low + size / 2, size / 2, offset + NODE_LENGTH);
    hasher.inner(nodes, offset, offset + NODE_LENGTH, offset);
  };
  visit(0, width, 0);
  if (used !== siblings.length) throw invalid('more siblings than there are', { got: siblings.length });
  return nodes.subarray(0, NODE_LENGTH);
}

function checkCount(shares: readonly Uint8Array[], { start, end }: RangeProof): void {
  if (shares.length !== end - start) throw invalid('not as many shares as leaves', { start, end, got: shares.length });
}

function invalid(problem: string, facts: Facts = {}): Rejected {
  return new Rejected('malformed', { problem, ...facts });
}
