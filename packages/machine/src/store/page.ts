import type { Node } from './node.ts';
import { Leaf } from './node.ts';

/*
 * A page is one stored record of the tree: the subtree at a path, its nodes in preorder, each a tag and its
 * hashes. Layout is not consensus: the root does not depend on where pages are cut.
 */

const EMPTY = 0;
const LEAF = 1;
const INNER = 2;
const CUT = 3;

export function encodePage(root: Node): Uint8Array {
  const bytes = new Uint8Array(encodedSize(root));
  write(root, bytes, 0);
  return bytes;
}

function encodedSize(node: Node | undefined): number {
  switch (node?.kind) {
    case undefined:
      return 1;
    case 'leaf':
      return 65;
    case 'cut':
      return 33;
    case 'inner':
      return 33 + encodedSize(node.left) + encodedSize(node.right);
  }
}

function write(node: Node | undefined, bytes: Uint8Array, at: number): number {
  switch (node?.kind) {
    case undefined:
      bytes[at] = EMPTY;
      return at + 1;
    case 'leaf':
      bytes[at] = LEAF;
      bytes.set(node.keyHash, at + 1);
      bytes.set(node.valueHash, at + 33);
      return at + 65;
    case 'cut':
      bytes[at] = CUT;
      bytes.set(node.hash, at + 1);
      return at + 33;
    case 'inner':
      bytes[at] = INNER;
      bytes.set(node.hash, at + 1);
      return write(node.right, bytes, write(node.left, bytes, at + 33));
  }
}

/** The nodes keep views of `bytes`. */
export function decodePage(bytes: Uint8Array): Node | undefined {
  let at = 0;
  const hash = (): Uint8Array => {
    at += 32;
    return bytes.subarray(at - 32, at);
  };
  const read = (): Node | undefined => {
    const tag = bytes[at++];
    switch (tag) {
      case EMPTY:
        return undefined;
      case LEAF:
        return new Leaf(hash(), hash());
      case CUT:
        return { kind: 'cut', hash: hash() };
      case INNER:
        return { kind: 'inner', hash: hash(), left: read(), right: read() };
      default:
        throw new Error(`damaged tree page: tag ${tag} at byte ${at - 1}`);
    }
  };
  return read();
}
