import { sha256 } from '@switchyard/protocol';
import { bitAt, decodePage, EMPTY_ROOT, hashOf, innerHash, type Leaf, leafHash, type Node } from './node.ts';
import { compareHashes, type PageReader, pathOf, readSubtree, TOP_PATH } from './tree.ts';

/** Nodes that are needed beside the root to show the value of a key, or that it has none. */
export interface StateProof {
  /** Hashes beside the path of the key, from the root down. */
  readonly siblings: readonly Uint8Array[];
  /** For an absent key: the only key of the subtree where it would be. None there: the subtree is empty. */
  readonly other: { readonly keyHash: Uint8Array; readonly valueHash: Uint8Array } | undefined;
}

const encoder = new TextEncoder();

/** Where a key stands in the tree. */
export function hashKey(key: string): Uint8Array {
  return sha256(encoder.encode(key));
}

export function proveKey(readPage: PageReader, key: string): StateProof {
  const keyHash = hashKey(key);
  const siblings: Uint8Array[] = [];
  const walk = (node: Node | undefined, depth: number): StateProof['other'] => {
    if (node === undefined) return undefined;
    if (node.kind === 'cut') return walk(readSubtree(readPage, pathOf(keyHash, depth)), depth);
    if (node.kind === 'leaf') {
      return compareHashes(node.keyHash, keyHash) === 0
        ? undefined
        : { keyHash: node.keyHash, valueHash: node.valueHash };
    }
    const right = bitAt(keyHash, depth) === 1;
    siblings.push(hashOf(right ? node.left : node.right));
    return walk(right ? node.right : node.left, depth + 1);
  };
  const top = readPage(TOP_PATH);
  const other = top === undefined ? undefined : walk(decodePage(top), 0);
  return { siblings, other };
}

/** The leaf of a key, if it is in the tree. */
export function findLeaf(readPage: PageReader, keyHash: Uint8Array): Leaf | undefined {
  const top = readPage(TOP_PATH);
  let node = top === undefined ? undefined : decodePage(top);
  for (let depth = 0; node !== undefined; depth += 1) {
    if (node.kind === 'cut') node = readSubtree(readPage, pathOf(keyHash, depth));
    if (node === undefined || node.kind === 'cut') return undefined;
    if (node.kind === 'leaf') return compareHashes(node.keyHash, keyHash) === 0 ? node : undefined;
    node = bitAt(keyHash, depth) === 1 ? node.right : node.left;
  }
  return undefined;
}

/** Whether `proof` shows that under `root` the key has this value, or none when `value` is undefined. */
export function verifyStateProof(
  root: Uint8Array,
  key: string,
  value: Uint8Array | undefined,
  proof: StateProof,
): boolean {
  const { siblings, other } = proof;
  if (siblings.length > 256 || siblings.some((hash) => hash.length !== 32)) return false;
  const keyHash = hashKey(key);
  const end = endOfPath(keyHash, value, other, siblings.length);
  if (end === undefined) return false;
  const computed = siblings.reduceRight((below, beside, depth) => {
    return bitAt(keyHash, depth) === 1 ? innerHash(beside, below) : innerHash(below, beside);
  }, end);
  return root.length === 32 && compareHashes(computed, root) === 0;
}

/** Hash of the subtree in which the path ends, if the claim fits there at all. */
function endOfPath(
  keyHash: Uint8Array,
  value: Uint8Array | undefined,
  other: StateProof['other'],
  depth: number,
): Uint8Array | undefined {
  if (value !== undefined) return other === undefined ? leafHash(keyHash, sha256(value)) : undefined;
  if (other === undefined) return EMPTY_ROOT;
  if (other.keyHash.length !== 32 || other.valueHash.length !== 32) return undefined;
  if (compareHashes(other.keyHash, keyHash) === 0) return undefined;
  for (let i = 0; i < depth; i++) if (bitAt(other.keyHash, i) !== bitAt(keyHash, i)) return undefined;
  return leafHash(other.keyHash, other.valueHash);
}
