import { INTEGER_KEYS, type Meta, PAGE_HEADER, PageDamage, readTree, type TreeRecord, u64 } from './meta.ts';
import { getNodes, getTransaction, type Node, requireLarge, toLarge } from './page.ts';
import type { PageFile } from './page-file.ts';

/** A record. Both are views that the next one overwrites. */
export type Visit = (key: Buffer, value: Buffer) => void;

/** Keys between which a problem lies; undefined: from the first, or to the last. */
export interface KeyRange {
  readonly after: Buffer | undefined;
  readonly before: Buffer | undefined;
}

export interface WalkOptions {
  /** Starts after this key. */
  readonly after?: Buffer;
  /** Reads the record of this key, and only the pages on the way to it. */
  readonly only?: Buffer;
  /** Ends when this many bytes of pages were read. */
  readonly maxBytes?: number;
  /** Each page that belongs to the tree, with how many follow it in a large value. @throws {PageDamage} for a page that must not. */
  readonly onPages?: (first: number, count: number) => void;
  readonly onRecord?: Visit;
  /** A tree under a name, in the main one. */
  readonly onTree?: (name: Buffer, tree: TreeRecord) => void;
  /** Without it the first problem is thrown; with it the walk continues behind the damaged part. */
  readonly onDamage?: (damage: PageDamage, range: KeyRange) => void;
}

/** Goes through a tree in the order of its keys and checks all that LMDB relies on. */
export function walkTree(file: PageFile, meta: Meta, tree: TreeRecord, options: WalkOptions) {
  return new Walk(file, meta, tree, options).run();
}

class Walk {
  readonly #file: PageFile;
  readonly #meta: Meta;
  readonly #tree: TreeRecord;
  readonly #options: WalkOptions;
  readonly #levels: Buffer[] = [];
  #large: Buffer = Buffer.alloc(0);
  #previous: Buffer | undefined;
  #done = false;
  #damaged = false;
  readonly #counts = { bytes: 0, entries: 0, branchPages: 0, leafPages: 0, overflowPages: 0 };

  constructor(file: PageFile, meta: Meta, tree: TreeRecord, options: WalkOptions) {
    this.#file = file;
    this.#meta = meta;
    this.#tree = tree;
    this.#options = options;
  }

  run() {
    const { root, depth, flags } = this.#tree;
    const { after, only } = this.#options;
    const everything: KeyRange = { after, before: undefined };
    this.#attempt(everything, () => {
      if ((flags & ~INTEGER_KEYS) !== 0) throw new PageDamage(`a tree has flags ${flags}, which are not in use here`);
      if ((root === undefined) !== (depth === 0) || depth > 32) throw new PageDamage(`a tree has depth ${depth}`);
      if (root !== undefined) this.#page(root, depth, this.#meta.transaction, everything);
      if ((after ?? only) === undefined && !this.#done && !this.#damaged) this.#requireCounts();
    });
    // With the last key, the position to resume from when the walk ended early.
    return { ...this.#counts, last: this.#done ? this.#previous : undefined };
  }

  #page(number: number, depth: number, transaction: number, range: KeyRange): void {
    const { pageSize, lastPage } = this.#meta;
    if (number < 2 || number > lastPage) throw new PageDamage(`page ${number} is outside of the ${lastPage + 1} pages`);
    this.#options.onPages?.(number, 1);
    this.#levels[depth] ??= Buffer.allocUnsafe(pageSize);
    const page = this.#levels[depth];
    this.#file.read(number, pageSize, page);
    this.#counts.bytes += pageSize;
    const kind = depth > 1 ? 'branch' : 'leaf';
    const nodes = getNodes(page, { page: number, kind, transaction });
    if (kind === 'leaf') this.#leaf(page, nodes, range);
    else this.#branch(page, nodes, depth, range);
  }

  #branch(page: Buffer, nodes: readonly Node[], depth: number, range: KeyRange): void {
    this.#counts.branchPages += 1;
    const { only } = this.#options;
    const start = this.#options.after ?? only;
    const transaction = getTransaction(page);
    // The first key of a branch page is not used.
    const findKey = (index: number): Buffer | undefined => {
      const node = nodes[index];
      return node === undefined || index === 0 ? undefined : page.subarray(node.keyStart, node.keyEnd);
    };
    for (const [index, { child }] of nodes.entries()) {
      const below: KeyRange = { after: findKey(index) ?? range.after, before: findKey(index + 1) ?? range.before };
      if (start !== undefined && below.before !== undefined && this.#compare(below.before, start) <= 0) continue;
      this.#attempt(below, () => this.#page(child, depth - 1, transaction, below));
      if (this.#done || only !== undefined) return;
    }
  }

  #leaf(page: Buffer, nodes: readonly Node[], { after, before }: KeyRange): void {
    this.#counts.leafPages += 1;
    const { onRecord, onTree, only, maxBytes = Number.POSITIVE_INFINITY } = this.#options;
    const start = this.#options.after;
    const first = nodes[0];
    // A separator is at most the first key of the subtree right of it.
    if (first !== undefined && after !== undefined && after !== start) {
      if (this.#compare(page.subarray(first.keyStart, first.keyEnd), after) < 0) throw this.#unordered(page);
    }
    let previous: Buffer | undefined;
    for (const node of nodes) {
      const key = page.subarray(node.keyStart, node.keyEnd);
      const last: Buffer | undefined = previous ?? this.#previous;
      previous = key;
      const skipped = start !== undefined && this.#compare(key, start) <= 0;
      if (last !== undefined && !skipped && this.#compare(last, key) >= 0) throw this.#unordered(page);
      if (before !== undefined && this.#compare(key, before) >= 0) throw this.#unordered(page);
      if (skipped || (only !== undefined && !key.equals(only))) continue;
      this.#counts.entries += 1;
      if (node.kind === 'tree') onTree?.(key, readTree(page, node.keyEnd));
      else if (node.kind === 'large')
        this.#attempt({ after: key, before: key }, () => this.#largeValue(page, node, key));
      else onRecord?.(key, page.subarray(node.keyEnd, node.keyEnd + node.size));
    }
    if (previous !== undefined && (start === undefined || this.#compare(previous, start) > 0)) {
      this.#previous = Buffer.from(previous);
    }
    if (this.#counts.bytes >= maxBytes) this.#done = true;
  }

  #largeValue(page: Buffer, node: Node, key: Buffer): void {
    const { pageSize, lastPage } = this.#meta;
    const large = toLarge(page, node, lastPage);
    this.#options.onPages?.(large.page, large.pages);
    this.#counts.overflowPages += large.pages;
    const length = PAGE_HEADER + large.size;
    if (this.#large.length < length) this.#large = Buffer.allocUnsafe(length);
    const bytes = this.#large.subarray(0, length);
    this.#file.read(large.page, pageSize, bytes);
    this.#counts.bytes += large.pages * pageSize;
    requireLarge(bytes, large, this.#meta.transaction);
    this.#options.onRecord?.(key, bytes.subarray(PAGE_HEADER));
  }

  #requireCounts(): void {
    const { entries, branchPages, leafPages, overflowPages } = this.#tree;
    const stated = [entries, branchPages, leafPages, overflowPages].join(', ');
    const counts = this.#counts;
    const found = [counts.entries, counts.branchPages, counts.leafPages, counts.overflowPages].join(', ');
    if (stated === found) return;
    throw new PageDamage(`a tree states ${stated} entries, branch, leaf and overflow pages, and has ${found}`);
  }

  #attempt(range: KeyRange, work: () => void): void {
    const { onDamage } = this.#options;
    if (onDamage === undefined) {
      work();
      return;
    }
    try {
      work();
    } catch (error) {
      if (!(error instanceof PageDamage)) throw error;
      this.#damaged = true;
      onDamage(error, {
        after: range.after && Buffer.from(range.after),
        before: range.before && Buffer.from(range.before),
      });
    }
  }

  #unordered(page: Buffer): PageDamage {
    return new PageDamage(`page ${u64(page, 0)} has keys that are not in order`);
  }

  #compare(a: Buffer, b: Buffer): number {
    return (this.#tree.flags & INTEGER_KEYS) === 0 ? a.compare(b) : getInteger(a) - getInteger(b);
  }
}

function getInteger(key: Buffer): number {
  if (key.length === 8) return u64(key, 0);
  if (key.length === 4) return key.readUInt32LE(0);
  throw new PageDamage(`an integer key has ${key.length} bytes`);
}
