import { bitAt, hashKey, type StateProof } from '@switchyard/protocol';
import { decodePage, getHash, type Leaf, type Node } from './node.ts';
import { compareHashes, type PageReader, readSubtree, TOP_PATH, toPath } from './tree.ts';

export function proveKey(readPage: PageReader, key: string): StateProof {
  const keyHash = hashKey(key);
  const siblings: Uint8Array[] = [];
  const walk = (node: Node | undefined, depth: number): StateProof['other'] => {
    if (node === undefined) return undefined;
    if (node.kind === 'cut') return walk(readSubtree(readPage, toPath(keyHash, depth)), depth);
    if (node.kind === 'leaf') {
      return compareHashes(node.keyHash, keyHash) === 0
        ? undefined
        : { keyHash: node.keyHash, valueHash: node.valueHash };
    }
    const right = bitAt(keyHash, depth) === 1;
    siblings.push(getHash(right ? node.left : node.right));
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
    if (node.kind === 'cut') node = readSubtree(readPage, toPath(keyHash, depth));
    if (node === undefined || node.kind === 'cut') return undefined;
    if (node.kind === 'leaf') return compareHashes(node.keyHash, keyHash) === 0 ? node : undefined;
    node = bitAt(keyHash, depth) === 1 ? node.right : node.left;
  }
  return undefined;
}
