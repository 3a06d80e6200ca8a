import { bitAt, EMPTY_ROOT } from '@switchyard/protocol';
import { type Changes, DELETED } from './changes.ts';
import { Cut, computeSize, decodePage, encodePage, getHash, INNER_HEAD_SIZE, Inner, Leaf, type Node } from './node.ts';

/** One changed key, by its hash. Without a value the key is removed. */
export interface TreeChange {
  readonly keyHash: Uint8Array;
  readonly valueHash: Uint8Array | undefined;
}

export type PageReader = (path: string) => Uint8Array | undefined;

export interface TreeUpdate {
  readonly root: Uint8Array;
  /** Changed pages by path. */
  readonly pages: Changes;
}

/**
 * Largest page, in bytes. Two of these fit on a page of LMDB, which gives larger values pages of their own.
 *
 * Two neighbouring subtrees share a page while they fit, else both are cut: a page holds up to 20 leaves, or
 * four levels above 16 cuts. So the cuts of pages depend on the keys alone, not on their history.
 */
export const MAX_PAGE_SIZE = 2000;

/**
 * Applies the changes of a block in one pass from left to right: each inner node above a changed key is
 * hashed once, regardless of the number of changes below it.
 *
 * @param rootBefore Root of the tree that `readPage` reads.
 * @param changes Each key once, in ascending order of key hash.
 */
export function updateTree(readPage: PageReader, rootBefore: Uint8Array, changes: readonly TreeChange[]): TreeUpdate {
  const pages = new Map<string, Uint8Array>();
  // Nothing to read if only keys outside the tree were written.
  if (changes.length === 0) return { root: rootBefore, pages };

  const top = compareHashes(rootBefore, EMPTY_ROOT) === 0 ? undefined : readSubtree(readPage, TOP_PATH);
  const root = update(top, 0, 0, changes.length);
  if (root !== top) pages.set(TOP_PATH, root === undefined ? DELETED : encodePage(root));
  return { root: getHash(root), pages };

  /** The subtree at `depth` after the changes of which all are below it; the very same node if nothing has changed. */
  function update(before: Node | undefined, depth: number, from: number, to: number): Node | undefined {
    const first = changes[from];
    if (first === undefined || from === to) return before;
    const node = before?.kind === 'cut' ? readSubtree(readPage, toPath(first.keyHash, depth)) : before;
    const after = node?.kind === 'inner' ? descend(node, depth, from, to) : build(merged(node, from, to), depth);
    if (after === node) return before;
    // Written again if it is still cut here in the end.
    if (before?.kind === 'cut') pages.set(toPath(first.keyHash, depth), DELETED);
    return after;
  }

  function descend(node: Inner, depth: number, from: number, to: number): Node | undefined {
    const middle = splitAt(changes, depth, from, to);
    const { left, right } = node;
    const leftAfter = update(left, depth + 1, from, middle);
    const rightAfter = update(right, depth + 1, middle, to);
    if (leftAfter === left && rightAfter === right) return node;
    return join(leftAfter, rightAfter, depth, keyHashAt(from));
  }

  /** A new subtree of sorted leaves. */
  function build(leaves: readonly Leaf[], depth: number, from = 0, to = leaves.length): Node | undefined {
    const first = leaves[from];
    if (first === undefined || to - from < 2) return from < to ? first : undefined;
    const middle = splitAt(leaves, depth, from, to);
    return join(build(leaves, depth + 1, from, middle), build(leaves, depth + 1, middle, to), depth, first.keyHash);
  }

  /** `keyHash` is that of any key below: its first bits are the path. */
  function join(left: Node | undefined, right: Node | undefined, depth: number, keyHash: Uint8Array): Node | undefined {
    if (left === undefined && (right === undefined || right.kind === 'leaf')) return right;
    if (right === undefined && left?.kind === 'leaf') return left;
    const pathOfChild = (bit: 0 | 1): string => toPath(keyHash, depth + 1, bit);
    const together = INNER_HEAD_SIZE + wholeSize(left) + wholeSize(right) <= MAX_PAGE_SIZE;
    const place = together ? inlined : cut;
    return Inner.of(place(left, pathOfChild, 0), place(right, pathOfChild, 1));
  }

  function inlined(node: Node | undefined, pathOfChild: (bit: 0 | 1) => string, bit: 0 | 1): Node | undefined {
    if (node?.kind !== 'cut') return node;
    const path = pathOfChild(bit);
    const subtree = readSubtree(readPage, path);
    pages.set(path, DELETED);
    return subtree;
  }

  function cut(node: Node | undefined, pathOfChild: (bit: 0 | 1) => string, bit: 0 | 1): Node | undefined {
    if (node?.kind !== 'inner') return node;
    pages.set(pathOfChild(bit), encodePage(node));
    return new Cut(node.hash, node.size);
  }

  /** The leaves that exist after the changes, when a leaf or nothing was there before. */
  function merged(before: Node | undefined, from: number, to: number): Leaf[] {
    const leaves: Leaf[] = [];
    let kept = before?.kind === 'leaf' ? before : undefined;
    for (let i = from; i < to; i++) {
      // In range: the caller's bounds are within the list.
      const { keyHash, valueHash } = changes[i] as TreeChange;
      const order = kept === undefined ? 1 : compareHashes(kept.keyHash, keyHash);
      const unchanged =
        order === 0 && kept !== undefined && valueHash !== undefined && compareHashes(kept.valueHash, valueHash) === 0;
      if (kept !== undefined && (order < 0 || unchanged)) leaves.push(kept);
      if (order <= 0) kept = undefined;
      if (valueHash !== undefined && !unchanged) leaves.push(new Leaf(keyHash, valueHash));
    }
    if (kept !== undefined) leaves.push(kept);
    return leaves;
  }

  function keyHashAt(index: number): Uint8Array {
    return (changes[index] as TreeChange).keyHash;
  }
}

/** Path of the page at the top, which a tree with keys always has. */
export const TOP_PATH = '';

/** The subtree whose page is at `path`. */
export function readSubtree(readPage: PageReader, path: string): Node | undefined {
  const page = readPage(path);
  if (page === undefined) throw new Error(`tree page ${path} is missing`);
  return decodePage(page);
}

/** Size in a page with everything that shares its page. */
function wholeSize(node: Node | undefined): number {
  return node?.kind === 'cut' ? node.pageSize : computeSize(node);
}

/** First index whose key goes to the right below `depth`. */
function splitAt(sorted: ReadonlyArray<{ readonly keyHash: Uint8Array }>, depth: number, from: number, to: number) {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = sorted[middle];
    if (entry !== undefined && bitAt(entry.keyHash, depth) === 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function compareHashes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < 32; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Key of the page at `depth`, 1 to 255: the depth as two digits, then the first `depth` bits, all in hex.
 *
 * @param lastBit Stands for the last of those bits if it is not that of `keyHash`.
 */
export function toPath(keyHash: Uint8Array, depth: number, lastBit = bitAt(keyHash, depth - 1)): string {
  let path = hexByte(depth);
  const whole = (depth - 1) >> 3;
  for (let i = 0; i < whole; i++) path += hexByte(keyHash[i] as number);
  const rest = (depth - 1) & 7;
  const last = ((keyHash[whole] as number) & (0xff00 >> rest)) | (lastBit << (7 - rest));
  return path + hexByte(last & 0xff);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hexByte(byte: number): string {
  return HEX[byte] as string;
}
