/** Trees that are held as a whole: over a row or column of a square, and over shares of a blob. */
import { type Namespace, namespaceBytes } from './namespace.ts';
import { compareMax, compareMin, createNodeHasher, NODE_LENGTH } from './nodes.ts';
import type { NamespaceProof, RangeProof } from './range-proof.ts';

export interface NamespacedTree {
  readonly width: number;
  /** From the leaves to the root; the nodes of a level one after the other. */
  readonly levels: readonly Uint8Array[];
}

/**
 * @param shares 512 bytes each; a power of two of them.
 * @param namespaceAt The 29 bytes under which the share stands: for parity, the parity namespace regardless of the share's first bytes.
 * @throws {Rejected} `malformed` if namespaces are not in order.
 */
export function namespacedTree(
  shares: readonly Uint8Array[],
  namespaceAt: (index: number) => Uint8Array,
): NamespacedTree {
  const width = shares.length;
  if (width === 0 || (width & (width - 1)) !== 0) throw new RangeError(`a tree over ${width} shares`);
  const hasher = createNodeHasher();
  const leaves = new Uint8Array(NODE_LENGTH * width);
  for (const [index, share] of shares.entries()) hasher.leaf(namespaceAt(index), share, leaves, NODE_LENGTH * index);
  return treeOver(leaves);
}

/**
 * @param leaves 90 bytes each, one after the other; a power of two of them.
 * @throws {Rejected} `malformed` if namespaces are not in order.
 */
export function treeOver(leaves: Uint8Array): NamespacedTree {
  const width = leaves.length / NODE_LENGTH;
  const hasher = createNodeHasher();
  const levels = [leaves];
  let nodes = leaves;
  for (let count = width >> 1; count > 0; count >>= 1) {
    const above = new Uint8Array(NODE_LENGTH * count);
    for (let index = 0; index < count; index++) {
      const left = 2 * NODE_LENGTH * index;
      hasher.inner(nodes, left, left + NODE_LENGTH, NODE_LENGTH * index, above);
    }
    levels.push(above);
    nodes = above;
  }
  return { width, levels };
}

/** 90 bytes. */
export function rootOfTree({ levels }: NamespacedTree): Uint8Array {
  return nodeAt(levels.length - 1, 0, levels);
}

/** The siblings that lead from the leaves `start` up to but not including `end` to the root, from left to right. */
export function proveRange({ levels, width }: NamespacedTree, start: number, end: number): RangeProof {
  if (!(start >= 0 && start < end && end <= width)) throw new RangeError(`leaves ${start} to ${end} of ${width}`);
  const nodes: Uint8Array[] = [];
  const visit = (level: number, index: number): void => {
    const low = index << level;
    const high = (index + 1) << level;
    if (high <= start || low >= end) nodes.push(nodeAt(level, index, levels));
    else if (low < start || high > end) {
      visit(level - 1, 2 * index);
      visit(level - 1, 2 * index + 1);
    }
  };
  visit(levels.length - 1, 0);
  return { start, end, nodes };
}

/**
 * Shows all leaves of a namespace, or the first leaf above it if there are none. Undefined if the namespace is
 * outside of the range of the root, which shows on its own that there are none.
 */
export function proveNamespace(tree: NamespacedTree, namespace: Namespace): NamespaceProof | undefined {
  const bytes = namespaceBytes(namespace);
  const root = rootOfTree(tree);
  if (compareMin(root, bytes) > 0 || compareMax(root, bytes) < 0) return undefined;
  let start = 0;
  while (compareMin(nodeAt(0, start, tree.levels), bytes) < 0) start++;
  let end = start;
  while (end < tree.width && compareMin(nodeAt(0, end, tree.levels), bytes) === 0) end++;
  if (end > start) return { ...proveRange(tree, start, end), absent: undefined };
  return { ...proveRange(tree, start, start + 1), absent: nodeAt(0, start, tree.levels) };
}

function nodeAt(level: number, index: number, levels: readonly Uint8Array[]): Uint8Array {
  const offset = NODE_LENGTH * index;
  return levels[level]?.subarray(offset, offset + NODE_LENGTH) ?? new Uint8Array();
}
