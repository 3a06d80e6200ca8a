import type { StoreRange } from '../store-table.ts';
import {
  areSmall,
  childAt,
  emptyLeaf,
  firstFrom,
  insertAt,
  isLeaf,
  joinChild,
  type Node,
  placeIn,
  splitChild,
  toCopy,
} from './node.ts';

/**
 * Values under texts, in the order of their code units: a B+ tree. A copy takes no time, since two trees share their nodes until
 * one of them writes. A tree changes in place the nodes made since its last copy.
 */
export class Tree {
  /** Mark of the nodes that no other tree has. */
  #owner = {};
  #root = emptyLeaf(this.#owner);
  #count = 0;
  #bytes = 0;

  copy(): Tree {
    const copy = new Tree();
    copy.#root = this.#root;
    copy.#count = this.#count;
    copy.#bytes = this.#bytes;
    this.#owner = {};
    return copy;
  }

  get count(): number {
    return this.#count;
  }

  /** Length of all keys and values. */
  get bytes(): number {
    return this.#bytes;
  }

  get root(): Node {
    return this.#root;
  }

  get(key: string): Uint8Array | undefined {
    let node = this.#root;
    while (!isLeaf(node)) node = childAt(node, placeIn(node, key));
    const at = firstFrom(node.keys, key);
    return node.keys[at] === key ? node.values[at] : undefined;
  }

  /** @param value Not to be changed any more. */
  set(key: string, value: Uint8Array): void {
    this.#root = this.#own(this.#root);
    this.#put(this.#root, key, value);
    const above: Node = { owner: this.#owner, keys: [''], values: [], children: [this.#root] };
    splitChild(above, 0);
    if (above.children.length > 1) this.#root = above;
  }

  delete(key: string): void {
    const old = this.get(key);
    if (old === undefined) return;
    this.#count -= 1;
    this.#bytes -= key.length + old.length;
    this.#root = this.#own(this.#root);
    this.#remove(this.#root, key);
    while (this.#root.children.length === 1) this.#root = childAt(this.#root, 0);
  }

  /** Not to be continued after a write to this tree, but after one to its copy. */
  *rows(range: StoreRange<string>): Iterable<readonly [key: string, value: Uint8Array]> {
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    const step = range.reverse === true ? -1 : 1;
    for (const { keys, values } of leaves(this.#root, range)) {
      for (let at = placeOfStart(keys, range); at >= 0 && at < keys.length; at += step, left -= 1) {
        // The place is one of the leaf.
        const key = keys[at] as string;
        if (left <= 0 || isBeyond(key, range)) return;
        yield [key, values[at] as Uint8Array];
      }
    }
  }

  #put(node: Node, key: string, value: Uint8Array): void {
    if (!isLeaf(node)) {
      const at = placeIn(node, key);
      this.#put(this.#ownChild(node, at), key, value);
      splitChild(node, at);
      return;
    }
    const at = firstFrom(node.keys, key);
    const old = node.keys[at] === key ? node.values[at] : undefined;
    this.#bytes += value.length - (old?.length ?? -key.length);
    if (old !== undefined) {
      node.values[at] = value;
      return;
    }
    this.#count += 1;
    insertAt(node.keys, at, key);
    insertAt(node.values, at, value);
  }

  #remove(node: Node, key: string): void {
    if (!isLeaf(node)) {
      const at = placeIn(node, key);
      this.#remove(this.#ownChild(node, at), key);
      const joined = areSmall(node, at) ? at : at - 1;
      if (!areSmall(node, joined)) return;
      this.#ownChild(node, joined);
      joinChild(node, joined);
      return;
    }
    const at = firstFrom(node.keys, key);
    node.keys.splice(at, 1);
    node.values.splice(at, 1);
  }

  #ownChild(node: Node, at: number): Node {
    const child = this.#own(childAt(node, at));
    node.children[at] = child;
    return child;
  }

  #own(node: Node): Node {
    return node.owner === this.#owner ? node : toCopy(node, this.#owner);
  }
}

/** Leaves from the first one of a range. */
function* leaves(node: Node, { start, reverse = false }: StoreRange<string>): Iterable<Node> {
  if (isLeaf(node)) {
    yield node;
    return;
  }
  const first = reverse ? node.children.length - 1 : 0;
  const from = start === undefined ? first : placeIn(node, start);
  yield* leaves(childAt(node, from), { start, reverse });
  const step = reverse ? -1 : 1;
  for (let at = from + step; at >= 0 && at < node.children.length; at += step)
    yield* leaves(childAt(node, at), { reverse });
}

/** Place in a leaf at which a range begins; none of the leaf's if it begins behind that. */
function placeOfStart(keys: readonly string[], { start, reverse = false, exclusiveStart = false }: StoreRange<string>) {
  if (start === undefined) return reverse ? keys.length - 1 : 0;
  const at = firstFrom(keys, start);
  const isThere = keys[at] === start;
  if (reverse) return isThere && !exclusiveStart ? at : at - 1;
  return isThere && exclusiveStart ? at + 1 : at;
}

function isBeyond(key: string, { end, reverse = false, inclusiveEnd = false }: StoreRange<string>): boolean {
  if (end === undefined) return false;
  return key === end ? !inclusiveEnd : key > end !== reverse;
}
