/**
 * Nodes of the trees over the rows and columns of a square: the smallest and the largest namespace below (29 bytes each),
 * then SHA-256. A leaf is H(00 || namespace || share), and a share begins with its namespace, which is thus hashed
 * twice; a node is H(01 || left || right).
 *
 * @see celestiaorg/nmt v0.24, hasher.go, with `IgnoreMaxNamespace`
 */

import { HASH_LENGTH, sha256Into } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';
import { NAMESPACE_LENGTH } from './namespace.ts';
import { SHARE_LENGTH } from './shares.ts';

export const NODE_LENGTH = 2 * NAMESPACE_LENGTH + HASH_LENGTH;

const MAX = NAMESPACE_LENGTH;
const HASH = 2 * NAMESPACE_LENGTH;

export interface NodeHasher {
  /** Writes the node over one share to `offset` of `nodes`. */
  leaf(namespace: Uint8Array, share: Uint8Array, nodes: Uint8Array, offset: number): void;
  /**
   * Writes to `into` the node over those at `left` and at `right`; the places may be the same.
   *
   * @throws {Rejected} `malformed` for namespaces that are not in order, which no honest tree has.
   */
  inner(nodes: Uint8Array, left: number, right: number, into: number, target?: Uint8Array): void;
}

/** Keeps the memory in which it joins the hashed parts, so that a tree needs it once. */
export function createNodeHasher(): NodeHasher {
  const forLeaf = new Uint8Array(1 + NAMESPACE_LENGTH + SHARE_LENGTH);
  const forInner = new Uint8Array(1 + 2 * NODE_LENGTH);
  forInner[0] = 1;
  return {
    leaf(namespace, share, nodes, offset) {
      if (share.length !== SHARE_LENGTH) throw new Rejected('malformed', { share: `${share.length} bytes` });
      forLeaf.set(namespace, 1);
      forLeaf.set(share, 1 + NAMESPACE_LENGTH);
      nodes.set(namespace, offset);
      nodes.set(namespace, offset + MAX);
      sha256Into(forLeaf, nodes, offset + HASH);
    },

    inner(nodes, left, right, into, target = nodes) {
      copy(nodes, left, forInner, 1, NODE_LENGTH);
      copy(nodes, right, forInner, 1 + NODE_LENGTH, NODE_LENGTH);
      const [least, most] = [1, 1 + NODE_LENGTH];
      if (
        compareNamespaces(forInner, least, forInner, least + MAX) > 0 ||
        compareNamespaces(forInner, least + MAX, forInner, most) > 0 ||
        compareNamespaces(forInner, most, forInner, most + MAX) > 0
      ) {
        throw new Rejected('malformed', { problem: 'namespaces out of order' });
      }
      // Parity does not widen the range, or each row would reach to the last namespace.
      const widest = isParity(forInner, most) ? least : most;
      copy(forInner, least, target, into, MAX);
      copy(forInner, widest + MAX, target, into + MAX, MAX);
      sha256Into(forInner, target, into + HASH);
    },
  };
}

/** Negative, zero or positive, as the namespace at one place is smaller than, equal to or larger than the other. */
export function compareNamespaces(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): number {
  for (let index = 0; index < NAMESPACE_LENGTH; index++) {
    const difference = (left[leftAt + index] ?? 0) - (right[rightAt + index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares the smallest namespace of a node with another one, with the result of {@link compareNamespaces}. */
export const compareMin = (node: Uint8Array, namespace: Uint8Array): number => compareNamespaces(node, 0, namespace, 0);
export const compareMax = (node: Uint8Array, namespace: Uint8Array): number =>
  compareNamespaces(node, MAX, namespace, 0);

function isParity(nodes: Uint8Array, at: number): boolean {
  for (let index = 0; index < NAMESPACE_LENGTH; index++) if (nodes[at + index] !== 0xff) return false;
  return true;
}

/** For so few bytes a loop is cheaper than a view. */
function copy(from: Uint8Array, start: number, to: Uint8Array, at: number, length: number): void {
  for (let index = 0; index < length; index++) to[at + index] = from[start + index] ?? 0;
}
