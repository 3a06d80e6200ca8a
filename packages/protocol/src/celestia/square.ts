/**
 * Squares as a layer for development makes them: real shares, trees and roots, with the same filler in every place where
 * erasure coding would compute parity. A client that samples such a square detects that.
 */
import { type DataAvailabilityHeader, getRows } from './dah.ts';
import { NAMESPACE_LENGTH, type Namespace, namespaceBytes, RESERVED_NAMESPACES } from './namespace.ts';
import type { NamespaceRow } from './namespace-data.ts';
import { createNodeHasher, NODE_LENGTH } from './nodes.ts';
import { paddingShare, SHARE_LENGTH } from './shares.ts';
import { type NamespacedTree, proveNamespace, rootOfTree, treeOver } from './tree.ts';

export interface Square {
  readonly dah: DataAvailabilityHeader;
  /** Rows of the upper half, which is not all parity. */
  readonly rows: readonly SquareRow[];
}

export interface SquareRow {
  /** Shares of the left half. */
  readonly shares: readonly Uint8Array[];
  readonly tree: NamespacedTree;
}

/** @param shares In the order of their namespaces; the last rows are filled up with padding. */
export function buildSquare(shares: readonly Uint8Array[]): Square {
  const steps = squareInSteps(shares);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Extends a square in steps of a millisecond or so, several hundred for the largest: others may have a turn in between. */
export function* squareInSteps(shares: readonly Uint8Array[]): Generator<undefined, Square, undefined> {
  const size = squareSize(shares.length);
  const padding = paddingShare(RESERVED_NAMESPACES.tailPadding);
  const whole = Array.from({ length: size * size }, (_, index) => shares[index] ?? padding);
  // Each share is hashed once, for its row and its column.
  const leaves = new Uint8Array(NODE_LENGTH * whole.length);
  const hasher = createNodeHasher();
  for (const [index, share] of whole.entries()) {
    if (index % size === 0) yield;
    hasher.leaf(share.subarray(0, NAMESPACE_LENGTH), share, leaves, NODE_LENGTH * index);
  }
  const filler = fillerLeaf();
  const treeOfLine = (first: number, step: number) => {
    const line = new Uint8Array(2 * size * NODE_LENGTH);
    for (let index = 0; index < 2 * size; index++) {
      const at = NODE_LENGTH * (first + index * step);
      line.set(index < size ? leaves.subarray(at, at + NODE_LENGTH) : filler, NODE_LENGTH * index);
    }
    return treeOver(line);
  };
  const rows: SquareRow[] = [];
  const columns: Uint8Array[] = [];
  for (let line = 0; line < size; line++) {
    yield;
    rows.push({ shares: whole.slice(line * size, (line + 1) * size), tree: treeOfLine(line * size, 1) });
    columns.push(rootOfTree(treeOfLine(line, size)));
  }
  const ofFiller = rootOfTree(treeOver(repeated(filler, 2 * size)));
  const roots = (known: readonly Uint8Array[]) => [...known, ...known.map(() => ofFiller)];
  return { dah: { rowRoots: roots(rows.map(({ tree }) => rootOfTree(tree))), columnRoots: roots(columns) }, rows };
}

/** Shares in a row of the smallest square that holds this many: a power of two. */
export function squareSize(shares: number): number {
  let size = 1;
  while (size * size < shares) size *= 2;
  return size;
}

/** Answer of an honest node. */
export function getAnswer({ dah, rows }: Square, namespace: Namespace): NamespaceRow[] {
  return getRows(dah, namespace).map((index) => {
    const row = rows[index];
    const proof = row && proveNamespace(row.tree, namespace);
    if (row === undefined || proof === undefined) throw new Error(`no proof in row ${index}`);
    return { shares: proof.absent === undefined ? row.shares.slice(proof.start, proof.end) : [], proof };
  });
}

function fillerLeaf(): Uint8Array {
  const leaf = new Uint8Array(NODE_LENGTH);
  const share = new Uint8Array(SHARE_LENGTH).fill(0xee);
  createNodeHasher().leaf(namespaceBytes(RESERVED_NAMESPACES.parity), share, leaf, 0);
  return leaf;
}

function repeated(node: Uint8Array, times: number): Uint8Array {
  const nodes = new Uint8Array(times * node.length);
  for (let index = 0; index < times; index++) nodes.set(node, index * node.length);
  return nodes;
}
