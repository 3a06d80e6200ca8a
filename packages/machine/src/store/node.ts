import { EMPTY_ROOT, innerHash, leafHash } from '@switchyard/protocol';

/*
 * Nodes of the state tree: a binary tree over the bits of sha256(key), the first bit of the first byte on top.
 * A subtree without keys is `undefined`; a subtree with one key is the leaf of that key, however high up.
 *
 * A node can also write itself into a page, which is a stored record (tree.ts decides where to cut pages).
 * The first byte is the tag:
 *
 *   0  nothing: no keys here
 *   1  leaf: key hash, value hash
 *   2  inner: hash, number of bytes of the left subtree (u16), left subtree, right subtree
 *   3  cut: hash, size of the page that holds the subtree (u16)
 */

const NOTHING = 0;
const LEAF = 1;
const INNER = 2;
const CUT = 3;

export const NOTHING_SIZE = 1;
export const LEAF_SIZE = 65;
export const INNER_HEAD_SIZE = 35;
export const CUT_SIZE = 35;

export type Node = Leaf | Inner | Cut;

export function getHash(node: Node | undefined): Uint8Array {
  return node === undefined ? EMPTY_ROOT : node.hash;
}

/** Bytes the node takes in a page. */
export function computeSize(node: Node | undefined): number {
  return node === undefined ? NOTHING_SIZE : node.size;
}

export class Leaf {
  readonly kind = 'leaf';
  readonly size = LEAF_SIZE;
  #hash: Uint8Array | undefined;

  constructor(
    readonly keyHash: Uint8Array,
    readonly valueHash: Uint8Array,
  ) {}

  /** Not stored: it is needed only if a neighbour has changed. */
  get hash(): Uint8Array {
    this.#hash ??= leafHash(this.keyHash, this.valueHash);
    return this.#hash;
  }

  write(page: Uint8Array, at: number): void {
    page[at] = LEAF;
    page.set(this.keyHash, at + 1);
    page.set(this.valueHash, at + 33);
  }
}

/** At least two keys are below. */
export class Inner {
  readonly kind = 'inner';
  readonly hash: Uint8Array;
  readonly size: number;
  readonly #children: Children;

  constructor(hash: Uint8Array, size: number, children: Children) {
    this.hash = hash;
    this.size = size;
    this.#children = children;
  }

  static of(left: Node | undefined, right: Node | undefined): Inner {
    const size = INNER_HEAD_SIZE + computeSize(left) + computeSize(right);
    return new Inner(innerHash(getHash(left), getHash(right)), size, { left, right });
  }

  get left(): Node | undefined {
    const children = this.#children;
    if (!('page' in children)) return children.left;
    return readNode(children.page, children.at + INNER_HEAD_SIZE, leftSize(children));
  }

  get right(): Node | undefined {
    const children = this.#children;
    if (!('page' in children)) return children.right;
    const size = leftSize(children);
    return readNode(children.page, children.at + INNER_HEAD_SIZE + size, this.size - INNER_HEAD_SIZE - size);
  }

  write(page: Uint8Array, at: number): void {
    const children = this.#children;
    if ('page' in children) {
      // Nothing below has changed.
      page.set(children.page.subarray(children.at, children.at + this.size), at);
      return;
    }
    const { left, right } = children;
    const size = computeSize(left);
    page[at] = INNER;
    page.set(this.hash, at + 1);
    page[at + 33] = size >> 8;
    page[at + 34] = size;
    left?.write(page, at + INNER_HEAD_SIZE);
    right?.write(page, at + INNER_HEAD_SIZE + size);
  }
}

/** Made just now, or located in a page. Most of a page is never looked at, so it is read on demand. */
type Children =
  | { readonly left: Node | undefined; readonly right: Node | undefined }
  | { readonly page: Uint8Array; readonly at: number };

/** An inner node whose subtree is in a page of its own. */
export class Cut {
  readonly kind = 'cut';
  readonly size = CUT_SIZE;

  /** @param pageSize Bytes of that page. */
  constructor(
    readonly hash: Uint8Array,
    readonly pageSize: number,
  ) {}

  write(page: Uint8Array, at: number): void {
    page[at] = CUT;
    page.set(this.hash, at + 1);
    page[at + 33] = this.pageSize >> 8;
    page[at + 34] = this.pageSize;
  }
}

export function encodePage(root: Node): Uint8Array {
  const page = new Uint8Array(root.size);
  root.write(page, 0);
  return page;
}

/** The node keeps views of `page`. */
export function decodePage(page: Uint8Array): Node | undefined {
  return readNode(page, 0, page.length);
}

function readNode(page: Uint8Array, at: number, size: number): Node | undefined {
  const tag = page[at];
  if (tag === NOTHING && size === NOTHING_SIZE) return undefined;
  if (tag === INNER && size > INNER_HEAD_SIZE) return new Inner(page.subarray(at + 1, at + 33), size, { page, at });
  if (tag === LEAF && size === LEAF_SIZE)
    return new Leaf(page.subarray(at + 1, at + 33), page.subarray(at + 33, at + 65));
  if (tag === CUT && size === CUT_SIZE) return new Cut(page.subarray(at + 1, at + 33), u16(page, at + 33));
  throw new Error(`damaged tree page: tag ${tag} for ${size} bytes at ${at}`);
}

function leftSize({ page, at }: { readonly page: Uint8Array; readonly at: number }): number {
  return u16(page, at + 33);
}

function u16(page: Uint8Array, at: number): number {
  return ((page[at] ?? 0) << 8) | (page[at + 1] ?? 0);
}
