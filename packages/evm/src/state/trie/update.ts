import { keccak256 } from '@switchyard/protocol/ethereum';
import { BRANCH, Branch, EXTENSION, LEAF, NONE } from './branch.ts';
import { extensionRlp, leafRlp, nibbleAt } from './node-rlp.ts';

/** A value that is to be put under a key, or removed. */
export interface Change {
  /** Keccak-256 of the key: 64 hex digits. */
  readonly path: string;
  /** The key, a character for each byte. */
  readonly key: string;
  /** Content of the leaf, RLP; undefined removes it. */
  readonly value: Uint8Array | undefined;
}

/** Beginning of the trie, when it does not begin with a branch at its root. */
export type RootNote =
  | { readonly kind: 'leaf'; readonly key: string }
  | { readonly kind: 'branch'; readonly path: string };

/** A row: a branch by its path in nibbles, or at the empty path a note about the beginning. */
export type TrieRow = Branch | RootNote;

/** A trie before the changes. */
export interface TrieSource {
  row(path: string): TrieRow | undefined;
  /** Content of the leaf of a key, RLP. Read for existing leaves that do not change. */
  value(key: string): Uint8Array;
  getPath(key: string): string;
}

export type Node =
  /** Fields that are undefined are read from the source when they are needed. */
  | {
      readonly kind: 'leaf';
      readonly key: string;
      readonly path: string | undefined;
      readonly value: Uint8Array | undefined;
    }
  | { readonly kind: 'branch'; readonly path: string; readonly branch: Branch };

export interface TrieUpdate {
  /** Keccak-256 of the root node; undefined when nothing is left. */
  readonly root: Uint8Array | undefined;
  /** Rows that are new, and undefined for deleted ones. */
  readonly rows: ReadonlyMap<string, TrieRow | undefined>;
}

/** Applies all changes in one pass, every node hashed once. Keys that are removed need not be there. */
export function updateTrie(source: TrieSource, changes: readonly Change[]): TrieUpdate {
  const update = new Update(source, [...changes].sort(byPath));
  return update.run();
}

/** The row of the root, and the node that it names. */
export function rootNode(source: TrieSource): Node | undefined {
  const row = source.row('');
  if (row === undefined) return undefined;
  if (row instanceof Branch) return { kind: 'branch', path: '', branch: row };
  if (row.kind === 'leaf') return { kind: 'leaf', key: row.key, path: undefined, value: undefined };
  return { kind: 'branch', path: row.path, branch: branchAt(source, row.path) };
}

export function branchAt(source: TrieSource, path: string): Branch {
  const row = source.row(path);
  if (!(row instanceof Branch)) throw new Error(`the trie has no branch at ${path}`);
  return row;
}

function byPath(a: Change, b: Change): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

class Update {
  readonly #source: TrieSource;
  readonly #changes: readonly Change[];
  readonly #rows = new Map<string, TrieRow | undefined>();

  constructor(source: TrieSource, changes: readonly Change[]) {
    this.#source = source;
    this.#changes = changes;
  }

  run(): TrieUpdate {
    const noted = this.#source.row('');
    const node = this.#apply(rootNode(this.#source), 0, this.#changes, 0, this.#changes.length);
    if (noted !== undefined && !(noted instanceof Branch)) this.#rows.set('', this.#rows.get(''));
    if (node === undefined) return { root: undefined, rows: this.#rows };
    if (node.kind === 'leaf') this.#rows.set('', { kind: 'leaf', key: node.key });
    else if (node.path !== '') this.#rows.set('', { kind: 'branch', path: node.path });
    return { root: keccak256(this.#rlp(node, 0)), rows: this.#rows };
  }

  /** @param depth Nibbles above the node; those of all the changes are equal up to there. */
  #apply(
    node: Node | undefined,
    depth: number,
    changes: readonly Change[],
    first: number,
    end: number,
  ): Node | undefined {
    if (first === end) return node;
    if (node === undefined) return this.#build(getLeaves(changes, first, end), depth);
    if (node.kind === 'leaf') return this.#applyToLeaf(node, depth, changes, first, end);
    const fork = getFork(node.path, depth, changes, first, end);
    const path = node.path.slice(0, fork);
    let branch: Branch;
    if (fork === node.path.length) branch = new Branch(node.branch);
    else {
      branch = new Branch();
      this.#setChild(branch, nibbleAt(node.path, fork), node, fork + 1);
    }
    let at = first;
    let stop = end;
    if (fork > depth) {
      while (at < stop && !changes[at]?.path.startsWith(path)) at++;
      while (stop > at && !changes[stop - 1]?.path.startsWith(path)) stop--;
    }
    let last: Node | undefined;
    while (at < stop) {
      const nibble = nibbleAt(changes[at]?.path ?? '', fork);
      let next = at + 1;
      while (next < stop && nibbleAt(changes[next]?.path ?? '', fork) === nibble) next++;
      // If the branch is new, its one child is the node that is applied to, not a row.
      const below =
        fork !== node.path.length && nibble === nibbleAt(node.path, fork) ? node : this.#child(branch, path, nibble);
      const changed = this.#apply(below, fork + 1, changes, at, next);
      if (changed === undefined) branch.remove(nibble);
      else {
        this.#setChild(branch, nibble, changed, fork + 1);
        last = changed;
      }
      at = next;
    }
    return this.#kept(path, branch, last);
  }

  /**
   * The branch, or the remainder when it has less than two children.
   *
   * @param changed The last child that was changed and is there: if only one remains, and it was changed, that one.
   */
  #kept(path: string, branch: Branch, changed: Node | undefined): Node | undefined {
    const count = branch.children;
    if (count >= 2) {
      this.#rows.set(path, branch);
      return { kind: 'branch', path, branch };
    }
    this.#rows.set(path, undefined);
    if (count === 0) return undefined;
    return changed ?? this.#child(branch, path, branch.firstChild);
  }

  #applyToLeaf(leaf: Node & { kind: 'leaf' }, depth: number, changes: readonly Change[], first: number, end: number) {
    const only = changes[first];
    if (end - first === 1 && only !== undefined) {
      if (only.key === leaf.key) {
        return only.value === undefined ? undefined : toLeaf(only);
      }
      if (only.value === undefined) return leaf;
    }
    const leaves = getLeaves(changes, first, end);
    const overwritten = changes.slice(first, end).some(({ key }) => key === leaf.key);
    if (!overwritten) {
      const { key } = leaf;
      leaves.push({ path: this.#source.getPath(key), key, value: leaf.value ?? this.#source.value(key) });
      leaves.sort(byPath);
    }
    return this.#build(leaves, depth);
  }

  #build(leaves: readonly Change[], depth: number, first = 0, end = leaves.length): Node | undefined {
    const one = leaves[first];
    const last = leaves[end - 1];
    if (one === undefined || last === undefined || first === end) return undefined;
    if (end - first === 1) return toLeaf(one);
    let fork = depth;
    while (one.path.charCodeAt(fork) === last.path.charCodeAt(fork)) fork++;
    const branch = new Branch();
    for (let at = first; at < end; ) {
      const nibble = nibbleAt(leaves[at]?.path ?? '', fork);
      let next = at + 1;
      while (next < end && nibbleAt(leaves[next]?.path ?? '', fork) === nibble) next++;
      const child = this.#build(leaves, fork + 1, at, next);
      if (child !== undefined) this.#setChild(branch, nibble, child, fork + 1);
      at = next;
    }
    const path = one.path.slice(0, fork);
    this.#rows.set(path, branch);
    return { kind: 'branch', path, branch };
  }

  #child(branch: Branch, path: string, nibble: number): Node | undefined {
    const kind = branch.kind(nibble);
    const note = branch.note(nibble);
    if (kind === NONE) return undefined;
    if (kind === LEAF) return { kind: 'leaf', key: note, path: undefined, value: undefined };
    const below = path + nibble.toString(16) + note;
    return { kind: 'branch', path: below, branch: this.#branchAt(below) };
  }

  #branchAt(path: string): Branch {
    const made = this.#rows.get(path);
    return made instanceof Branch ? made : branchAt(this.#source, path);
  }

  #setChild(branch: Branch, nibble: number, child: Node, depth: number): void {
    if (child.kind === 'leaf') branch.set(nibble, LEAF, this.#rlp(child, depth), child.key);
    else if (child.path.length === depth) branch.set(nibble, BRANCH, child.branch.rlp(), '');
    else branch.set(nibble, EXTENSION, this.#rlp(child, depth), child.path.slice(depth));
  }

  #rlp(node: Node, depth: number): Uint8Array {
    return nodeRlp(this.#source, node, depth);
  }
}

/** RLP of the node that stands below `depth` nibbles: of an extension, if the branch is deeper. */
export function nodeRlp(source: TrieSource, node: Node, depth: number): Uint8Array {
  if (node.kind === 'leaf') {
    return leafRlp(node.path ?? source.getPath(node.key), depth, node.value ?? source.value(node.key));
  }
  const rlp = node.branch.rlp();
  if (node.path.length === depth) return rlp;
  const embedded = rlp.length < 32;
  return extensionRlp(node.path, depth, node.path.length, embedded ? rlp : keccak256(rlp), embedded);
}

function toLeaf({ key, path, value }: Change): Node {
  return { kind: 'leaf', key, path, value };
}

function getLeaves(changes: readonly Change[], first: number, end: number): Change[] {
  const leaves: Change[] = [];
  for (let index = first; index < end; index++) {
    const change = changes[index];
    if (change?.value !== undefined) leaves.push(change);
  }
  return leaves;
}

/** Nibbles that the path of a branch shares with all keys that are put below it; removals of missing keys do not count. */
function getFork(path: string, depth: number, changes: readonly Change[], first: number, end: number): number {
  let fork = path.length;
  for (let index = first; fork > depth && index < end; index++) {
    const change = changes[index];
    if (change?.value === undefined) continue;
    let shared = depth;
    while (shared < fork && change.path.charCodeAt(shared) === path.charCodeAt(shared)) shared++;
    fork = shared;
  }
  return fork;
}
