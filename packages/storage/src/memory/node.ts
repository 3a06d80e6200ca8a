/** Nodes of a tree: arrays of at most this many entries, which are quick to search and to copy. */
const MOST = 64;
/** A node with fewer is joined with a neighbour, if both fit into one. */
const FEWEST = 16;

/** A leaf has values, a branch has children with a key each, below which the child has none. The first of all is empty. */
export interface Node {
  /** The version that may change it. */
  readonly owner: object;
  readonly keys: string[];
  readonly values: Uint8Array[];
  readonly children: Node[];
}

export const emptyLeaf = (owner: object): Node => ({ owner, keys: [], values: [], children: [] });

export function toCopy({ keys, values, children }: Node, owner: object): Node {
  return { owner, keys: keys.slice(), values: values.slice(), children: children.slice() };
}

export const isLeaf = (node: Node): boolean => node.children.length === 0;

/** Place of the first key that is not below this one. */
export function firstFrom(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // The place is below the length.
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Place of the child that a key belongs to. */
export function placeIn({ keys }: Node, key: string): number {
  const at = firstFrom(keys, key);
  return keys[at] === key ? at : at - 1;
}

export function childAt(node: Node, at: number): Node {
  const child = node.children[at];
  if (child === undefined) throw new Error(`no child: place=${at} children=${node.children.length}`);
  return child;
}

/** Quicker than `splice`, which returns an array. */
export function insertAt<T>(list: T[], at: number, item: T): void {
  list.push(item);
  // The places are below the length.
  for (let place = list.length - 1; place > at; place -= 1) list[place] = list[place - 1] as T;
  list[at] = item;
}

/** Divides a child that has grown too large. Keys that rise fill their nodes. */
export function splitChild(node: Node, at: number): void {
  const { owner, keys, values, children } = childAt(node, at);
  if (keys.length <= MOST) return;
  const isLast = at === node.children.length - 1;
  const from = isLast ? MOST : MOST >>> 1;
  const right = { owner, keys: keys.splice(from), values: values.splice(from), children: children.splice(from) };
  // It has keys, since there were more than it begins at.
  insertAt(node.keys, at + 1, right.keys[0] as string);
  insertAt(node.children, at + 1, right);
}

/** Whether the child at this place and the next one are to be one. */
export function areSmall(node: Node, at: number): boolean {
  const [left, right] = [node.children[at], node.children[at + 1]];
  if (left === undefined || right === undefined) return false;
  const [one, other] = [left.keys.length, right.keys.length];
  return Math.min(one, other) < FEWEST && one + other <= MOST;
}

/** Moves everything of the next child into the one at this place. */
export function joinChild(node: Node, at: number): void {
  const { keys, values, children } = childAt(node, at);
  const right = childAt(node, at + 1);
  node.keys.splice(at + 1, 1);
  node.children.splice(at + 1, 1);
  keys.push(...right.keys);
  values.push(...right.values);
  children.push(...right.children);
}
