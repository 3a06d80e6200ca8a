import { BRANCH, LEAF, OVERFLOW, PAGE_HEADER, PageDamage, u64 } from './meta.ts';

/** Bytes before the key of a node. */
const NODE_HEADER = 8;
/** Kinds of nodes on a leaf page, by their flags. */
const KINDS: ReadonlyMap<number, Node['kind']> = new Map([
  [0x00, 'inline'],
  [0x01, 'large'],
  [0x02, 'tree'],
]);
/** A reference to a large value: its first page, the transaction, the number of pages. */
const REFERENCE_BYTES = 24;
const TREE_RECORD_BYTES = 48;

/** Range of a node in its page. */
export interface Node {
  readonly keyStart: number;
  readonly keyEnd: number;
  /** On a branch page: the page below. */
  readonly child: number;
  /** On a leaf page: bytes of the value. */
  readonly size: number;
  readonly kind: 'inline' | 'large' | 'tree';
}

export interface Expected {
  readonly page: number;
  readonly kind: 'branch' | 'leaf';
  /** Transaction of the page above: a page is never newer than the way to it. */
  readonly transaction: number;
}

/** Number of the transaction that wrote a page. */
export const getTransaction = (page: Buffer): number => u64(page, 8);

/**
 * The nodes of a branch or leaf page, in order.
 *
 * @throws {PageDamage} when the page is not the expected one, or its nodes do not fill exactly its used part.
 */
export function getNodes(page: Buffer, { page: number, kind, transaction }: Expected): Node[] {
  const damaged = (what: string) => new PageDamage(`page ${number} ${what}`);
  if (u64(page, 0) !== number) throw damaged('holds another page');
  if (page.readUInt16LE(18) !== (kind === 'branch' ? BRANCH : LEAF)) throw damaged(`is no ${kind} page`);
  if (getTransaction(page) > transaction) throw damaged('is newer than the page that refers to it');
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  const space = page.length - PAGE_HEADER;
  if (lower % 2 !== 0 || lower > upper || upper > space) throw damaged('has impossible bounds');
  const count = lower >> 1;
  if (count < (kind === 'branch' ? 2 : 1)) throw damaged(`has ${count} nodes`);

  const nodes: Node[] = [];
  let used = 0;
  for (let index = 0; index < count; index += 1) {
    const pointer = page.readUInt16LE(PAGE_HEADER + 2 * index);
    if (pointer < upper || pointer + NODE_HEADER > space || pointer % 2 !== 0) {
      throw damaged(`has a node at ${pointer}, outside of its used part`);
    }
    const node = nodeAt(page, PAGE_HEADER + pointer, kind);
    if (node === undefined) throw damaged(`has a node at ${pointer} that does not fit`);
    nodes.push(node);
    used += even(node.keyEnd - PAGE_HEADER - pointer + storedBytes(node, kind));
  }
  if (used !== space - upper) throw damaged('has nodes that overlap, or gaps between them');
  return nodes;
}

function nodeAt(page: Buffer, at: number, kind: 'branch' | 'leaf'): Node | undefined {
  const low = page.readUInt16LE(at);
  const high = page.readUInt16LE(at + 2);
  const flags = page.readUInt16LE(at + 4);
  const keyStart = at + NODE_HEADER;
  const keyEnd = keyStart + page.readUInt16LE(at + 6);
  if (keyEnd > page.length) return undefined;
  const size = low + high * 0x1_0000;
  if (kind === 'branch') return { keyStart, keyEnd, child: size + flags * 0x1_0000_0000, size: 0, kind: 'inline' };
  const stored = KINDS.get(flags);
  if (stored === undefined || (stored === 'tree' && size !== TREE_RECORD_BYTES)) return undefined;
  const node: Node = { keyStart, keyEnd, child: 0, size, kind: stored };
  return keyEnd + storedBytes(node, kind) <= page.length ? node : undefined;
}

/** Bytes after the key. */
function storedBytes({ kind, size }: Node, page: 'branch' | 'leaf'): number {
  if (page === 'branch') return 0;
  return kind === 'large' ? REFERENCE_BYTES : size;
}

const even = (bytes: number): number => (bytes + 1) & ~1;

/** Position of a large value. */
export type Large = ReturnType<typeof toLarge>;

/** @throws {PageDamage} when it cannot be at the place given by the node. */
export function toLarge(page: Buffer, { keyEnd, size }: Node, lastPage: number) {
  const first = u64(page, keyEnd);
  const pages = u64(page, keyEnd + 16);
  const needed = Math.floor((PAGE_HEADER - 1 + size) / page.length) + 1;
  if (first < 2 || pages < needed || first + pages - 1 > lastPage) {
    throw new PageDamage(`page ${u64(page, 0)} refers to pages ${first} to ${first + pages - 1} for ${size} bytes`);
  }
  return { page: first, pages, size };
}

/**
 * @param transaction Newest transaction of the file. A compacted copy keeps the numbers of large values, not of references.
 * @throws {PageDamage} when `bytes` do not begin with the header of this value.
 */
export function requireLarge(bytes: Buffer, { page, pages }: Large, transaction: number): void {
  const right = u64(bytes, 0) === page && bytes.readUInt16LE(18) === OVERFLOW && bytes.readUInt32LE(20) === pages;
  if (!right) throw new PageDamage(`page ${page} does not begin the large value that is expected there`);
  if (getTransaction(bytes) > transaction) throw new PageDamage(`page ${page} is newer than the file`);
}
