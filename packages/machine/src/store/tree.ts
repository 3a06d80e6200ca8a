import { bitAt, hashOf, inner, Leaf, type Node } from './node.ts';
import { type Changes, DELETED } from './overlay.ts';
import { decodePage, encodePage } from './page.ts';
import { EMPTY_ROOT } from './store.ts';

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

/** Levels of inner nodes in one page. */
export const PAGE_LEVELS = 4;

/** A subtree with no more keys than this stays in the page above it. */
export const INLINE_LEAVES = 4;

/**
 * Applies the changes of a block in one pass from left to right: each inner node above a changed key is
 * hashed once, whatever the number of changes below it.
 *
 * @param rootBefore Root of the tree that `readPage` reads.
 * @param changes Each key once, in ascending order of key hash.
 */
export function updateTree(readPage: PageReader, rootBefore: Uint8Array, changes: readonly TreeChange[]): TreeUpdate {
  const pages = new Map<string, Uint8Array>();

  const update = (before: Node | undefined, depth: number, from: number, to: number): Node | undefined => {
    const first = changes[from];
    if (first === undefined || from === to) return before;
    const node = before?.kind === 'cut' ? readSubtree(readPage, pathOf(first.keyHash, depth)) : before;
    let after: Node | undefined;
    if (node?.kind === 'inner') {
      const middle = splitAt(changes, depth, from, to);
      const left = update(node.left, depth + 1, from, middle);
      const right = update(node.right, depth + 1, middle, to);
      after = left === node.left && right === node.right ? node : join(left, right);
    } else {
      const leaves = merged(node, changes, from, to);
      after = build(leaves, depth, 0, leaves.length);
    }
    return after === node ? before : paged(before, after, depth, first.keyHash);
  };

  /** A new subtree of leaves, cut into pages on the way up. */
  const build = (leaves: readonly Leaf[], depth: number, from: number, to: number): Node | undefined => {
    if (to - from < 2) return from === to ? undefined : leaves[from];
    const middle = splitAt(leaves, depth, from, to);
    return inner(buildBelow(leaves, depth + 1, from, middle), buildBelow(leaves, depth + 1, middle, to));
  };

  const buildBelow = (leaves: readonly Leaf[], depth: number, from: number, to: number): Node | undefined => {
    const first = leaves[from];
    if (first === undefined || from === to) return undefined;
    return paged(undefined, build(leaves, depth, from, to), depth, first.keyHash);
  };

  /** Where pages begin, writes the subtree to its page, or removes a page that is no longer needed. */
  const paged = (
    before: Node | undefined,
    after: Node | undefined,
    depth: number,
    keyHash: Uint8Array,
  ): Node | undefined => {
    if (depth % PAGE_LEVELS !== 0) return after;
    if (after !== undefined && (depth === 0 || (after.kind === 'inner' && leafCount(after) > INLINE_LEAVES))) {
      pages.set(pathOf(keyHash, depth), encodePage(after));
      return { kind: 'cut', hash: after.hash };
    }
    if (before?.kind === 'cut' || depth === 0) pages.set(pathOf(keyHash, depth), DELETED);
    return after;
  };

  // Nothing to read if only keys outside the tree were written, as in a block of index entries.
  if (changes.length === 0) return { root: rootBefore, pages };
  const empty = compareHashes(rootBefore, EMPTY_ROOT) === 0;
  const root = update(empty ? undefined : readSubtree(readPage, ''), 0, 0, changes.length);
  return { root: hashOf(root), pages };
}

/** The subtree that a cut stands for. */
export function readSubtree(readPage: PageReader, path: string): Node | undefined {
  const page = readPage(path);
  if (page === undefined) throw new Error(`tree page ${path} is missing`);
  return decodePage(page);
}

/** Keys below a node, where a page of its own counts as many. */
function leafCount(node: Node | undefined): number {
  switch (node?.kind) {
    case undefined:
      return 0;
    case 'leaf':
      return 1;
    case 'cut':
      return Number.POSITIVE_INFINITY;
    case 'inner':
      return leafCount(node.left) + leafCount(node.right);
  }
}

function join(left: Node | undefined, right: Node | undefined): Node | undefined {
  if (left === undefined && right?.kind !== 'inner' && right?.kind !== 'cut') return right;
  if (right === undefined && left?.kind === 'leaf') return left;
  return inner(left, right);
}

/** The leaves that are there after the changes, given that `node` was all there was. */
function merged(node: Node | undefined, changes: readonly TreeChange[], from: number, to: number): Leaf[] {
  const kept = node?.kind === 'leaf' ? node : undefined;
  const leaves: Leaf[] = [];
  let open = kept;
  for (let i = from; i < to; i++) {
    const { keyHash, valueHash } = changes[i] as TreeChange;
    const order = open === undefined ? 1 : compareHashes(open.keyHash, keyHash);
    if (open !== undefined && order < 0) leaves.push(open);
    if (order <= 0) open = undefined;
    const same =
      order === 0 && kept !== undefined && valueHash !== undefined && compareHashes(kept.valueHash, valueHash) === 0;
    if (same) leaves.push(kept);
    else if (valueHash !== undefined) leaves.push(new Leaf(keyHash, valueHash));
  }
  if (open !== undefined) leaves.push(open);
  return leaves;
}

/** First index whose key goes to the right below `depth`. */
function splitAt(sorted: readonly { readonly keyHash: Uint8Array }[], depth: number, from: number, to: number): number {
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

/** The first `depth` bits in hex. Pages begin at whole hex digits, so a path is also the prefix of those below it. */
export function pathOf(keyHash: Uint8Array, depth: number): string {
  let path = '';
  for (let digit = 0; digit < depth / 4; digit++) {
    const byte = keyHash[digit >> 1] as number;
    path += HEX_DIGITS[digit & 1 ? byte & 15 : byte >> 4];
  }
  return path;
}

const HEX_DIGITS = '0123456789abcdef';
