/*
 * The layout of LMDB's data files, version 2, as far as a reader needs it. All numbers are little-endian: the files
 * belong to the machine that wrote them.
 *
 * A page begins with its number (8 bytes), the transaction that wrote it (8), padding (2), flags (2), and either the
 * bounds of its free space (2 + 2) or the number of pages of a large value (4).
 */

export const PAGE_HEADER = 24;

export const BRANCH = 0x01;
export const LEAF = 0x02;
export const OVERFLOW = 0x04;
const META = 0x08;

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const FREE_TREE_AT = PAGE_HEADER + 24;
const TREE_BYTES = 48;
const MAIN_TREE_AT = FREE_TREE_AT + TREE_BYTES;
const LAST_PAGE_AT = MAIN_TREE_AT + TREE_BYTES;
export const META_BYTES = LAST_PAGE_AT + 24;

/** Keys compare as unsigned integers in the machine's order. */
export const INTEGER_KEYS = 0x08;
/** Environment flags share the field in the meta page's first tree; only these belong to a tree. */
const TREE_FLAGS = 0x7e;

/** One B-tree of a file. */
export type TreeRecord = ReturnType<typeof readTree>;

/** The start of one version of a file. */
export type Meta = ReturnType<typeof readMeta>;

/** Content of a file that LMDB cannot have written. */
export class PageDamage extends Error {
  override readonly name = 'PageDamage';
}

export function u64(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4);
  // Beyond the length of any file: callers compare with bounds, and this is above all of them.
  return high > 0x1f_ffff ? Number.MAX_SAFE_INTEGER : high * 0x1_0000_0000 + bytes.readUInt32LE(at);
}

export function readTree(bytes: Buffer, at: number) {
  const noRoot = bytes.readUInt32LE(at + 40) === 0xffff_ffff && bytes.readUInt32LE(at + 44) === 0xffff_ffff;
  return {
    flags: bytes.readUInt16LE(at + 4) & TREE_FLAGS,
    depth: bytes.readUInt16LE(at + 6),
    branchPages: u64(bytes, at + 8),
    leafPages: u64(bytes, at + 16),
    overflowPages: u64(bytes, at + 24),
    entries: u64(bytes, at + 32),
    // Page of the root; undefined in an empty tree.
    root: noRoot ? undefined : u64(bytes, at + 40),
  };
}

/** @param bytes The first `META_BYTES` of page `index`. */
function readMeta(bytes: Buffer, index: number) {
  const where = `meta page ${index}`;
  if (bytes.length < META_BYTES) throw new PageDamage(`${where} is cut short`);
  if (u64(bytes, 0) !== index || bytes.readUInt16LE(18) !== META) throw new PageDamage(`${where} has a wrong header`);
  if (bytes.readUInt32LE(PAGE_HEADER) !== MAGIC) throw new PageDamage(`${where} has a wrong magic number`);
  const version = bytes.readUInt16LE(PAGE_HEADER + 4);
  if (version !== DATA_VERSION) throw new PageDamage(`${where} has data version ${version}, expected ${DATA_VERSION}`);
  const pageSize = bytes.readUInt32LE(FREE_TREE_AT);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) {
    throw new PageDamage(`${where} has page size ${pageSize}`);
  }
  return {
    pageSize,
    mapSize: u64(bytes, PAGE_HEADER + 16),
    // Pages that can be written again.
    free: readTree(bytes, FREE_TREE_AT),
    main: readTree(bytes, MAIN_TREE_AT),
    lastPage: u64(bytes, LAST_PAGE_AT),
    transaction: u64(bytes, LAST_PAGE_AT + 8),
  };
}

/**
 * The newest version of a file, from both of its meta pages.
 *
 * Transaction N writes page N mod 2, so the numbers of the two differ by one, once both are written. Anything else means
 * that a damaged number would make an old version look like the newest.
 *
 * @param read Bytes from an offset; fewer at the end of the file.
 * @throws {PageDamage}
 */
export function newestMeta(read: (offset: number, length: number) => Buffer): Meta {
  const first = readMeta(read(0, META_BYTES), 0);
  const second = readMeta(read(first.pageSize, META_BYTES), 1);
  const [a, b] = [first.transaction, second.transaction];
  // Page 0 stays that of an empty file in a new file, and in a compacted copy until a transaction writes it.
  const isUntouched =
    a === 0 && first.lastPage === 1 && [first.main, first.free].every(({ root }) => root === undefined);
  if (!isUntouched && (Math.abs(a - b) !== 1 || a % 2 !== 0)) {
    throw new PageDamage(`the meta pages are of transactions ${a} and ${b}, which do not follow each other`);
  }
  if (first.pageSize !== second.pageSize) throw new PageDamage('the meta pages differ in page size');
  return a > b ? first : second;
}
