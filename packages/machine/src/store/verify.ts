import { bitAt, EMPTY_ROOT, hashKey, innerHash, leafHash, sha256, toHex } from '@switchyard/protocol';
import { decodePage, getHash, type Node } from './node.ts';
import { findLeaf } from './proof.ts';
import { INDEX_PREFIX } from './store.ts';
import { compareHashes, type PageReader, readSubtree, TOP_PATH, toPath } from './tree.ts';

/** A committed version, read without a store over it. */
export interface CommittedRecords {
  readonly root: Uint8Array;
  readonly page: PageReader;
  /** All values of the state and of the index, once each. */
  values(): Iterable<readonly [key: string, value: Uint8Array]>;
}

/**
 * Derives the root of a state from its values: every value must be committed to by the tree, the tree must have
 * no others, and its nodes must hash to the root. Needs memory for one path of the tree.
 *
 * @returns number of keys under the root, or the fault.
 */
export function verifyState({ root, page, values }: CommittedRecords): number | string {
  try {
    const leaves = verifyTree(page, root);
    if (typeof leaves === 'string') return leaves;
    let keys = 0;
    for (const [key, value] of values()) {
      if (key.startsWith(INDEX_PREFIX)) continue;
      keys += 1;
      const leaf = findLeaf(page, hashKey(key));
      if (leaf === undefined) return `key ${key}: is not under the state root`;
      if (compareHashes(leaf.valueHash, sha256(value)) !== 0)
        return `key ${key}: the value is not the one under the state root`;
    }
    return keys === leaves ? keys : `the state root has ${leaves} keys, and there are values for ${keys}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether the page at the top hashes to the root. @returns the fault. */
export function verifyTop(page: PageReader, root: Uint8Array): string | undefined {
  const top = page(TOP_PATH);
  if (top === undefined) {
    return compareHashes(root, EMPTY_ROOT) === 0 ? undefined : `the tree of state root ${toHex(root)} is missing`;
  }
  const hash = hashOfSubtree(decodePage(top), () => undefined);
  return compareHashes(hash, root) === 0 ? undefined : mismatch(hash, root);
}

/** @returns number of leaves, or the fault. */
function verifyTree(page: PageReader, root: Uint8Array): number | string {
  const top = page(TOP_PATH);
  if (top === undefined)
    return compareHashes(root, EMPTY_ROOT) === 0 ? 0 : `the tree of state root ${toHex(root)} is missing`;
  let leaves = 0;
  const prefix = new Uint8Array(32);
  const hash = hashOfSubtree(decodePage(top), (node, path) => {
    for (const [depth, bit] of path.entries()) setBit(prefix, depth, bit);
    if (node.kind === 'cut') return readSubtree(page, toPath(prefix, path.length));
    leaves += 1;
    if (path.some((bit, depth) => bitAt(node.keyHash, depth) !== bit))
      throw new Error('a leaf of the state tree is out of place');
    return undefined;
  });
  return compareHashes(hash, root) === 0 ? leaves : mismatch(hash, root);
}

type Below = (node: Extract<Node, { kind: 'cut' | 'leaf' }>, path: readonly (0 | 1)[]) => Node | undefined;

/** The hash of a subtree from its leaves, or from the hashes of those subtrees that `below` does not read. */
function hashOfSubtree(node: Node | undefined, below: Below, path: readonly (0 | 1)[] = []): Uint8Array {
  if (node === undefined) return EMPTY_ROOT;
  if (node.kind === 'leaf') {
    below(node, path);
    return leafHash(node.keyHash, node.valueHash);
  }
  if (node.kind === 'cut') {
    const subtree = below(node, path);
    const hash = subtree === undefined ? node.hash : hashOfSubtree(subtree, below, path);
    if (compareHashes(hash, node.hash) !== 0)
      throw new Error(`a page of the state tree at depth ${path.length} has another hash`);
    return hash;
  }
  const hash = innerHash(hashOfSubtree(node.left, below, [...path, 0]), hashOfSubtree(node.right, below, [...path, 1]));
  if (compareHashes(hash, getHash(node)) !== 0)
    throw new Error(`a node of the state tree at depth ${path.length} has another hash`);
  return hash;
}

function setBit(bytes: Uint8Array, index: number, bit: 0 | 1): void {
  const mask = 0x80 >> (index & 7);
  const byte = bytes[index >> 3] ?? 0;
  bytes[index >> 3] = bit === 1 ? byte | mask : byte & ~mask;
}

function mismatch(hash: Uint8Array, root: Uint8Array): string {
  return `the tree has root ${toHex(hash)}, expected ${toHex(root)}`;
}
