import { INTEGER_KEYS, type Meta, PAGE_HEADER, PageDamage, readTree, type TreeRecord } from './meta.ts';
import { largeOf, nodesOf, requireLarge, transactionOf } from './page.ts';
import type { PageFile } from './page-file.ts';
import { integerOf } from './walk.ts';

export type Found = { readonly value: Buffer } | { readonly tree: TreeRecord };

/** Finds the record of a key, reading only the pages on the way to it. @throws {PageDamage} */
export function findRecord(file: PageFile, meta: Meta, tree: TreeRecord, key: Buffer): Found | undefined {
  const { pageSize, lastPage } = meta;
  const compare = (a: Buffer): number =>
    (tree.flags & INTEGER_KEYS) === 0 ? a.compare(key) : integerOf(a) - integerOf(key);
  let number = tree.root;
  let transaction = meta.transaction;
  for (let { depth } = tree; number !== undefined && depth > 0; depth -= 1) {
    if (number < 2 || number > lastPage) throw new PageDamage(`page ${number} is outside of the ${lastPage + 1} pages`);
    const page = Buffer.allocUnsafe(pageSize);
    file.read(number, pageSize, page);
    const nodes = nodesOf(page, { page: number, kind: depth > 1 ? 'branch' : 'leaf', transaction });
    transaction = transactionOf(page);
    if (depth > 1) {
      const at = nodes.findLastIndex(
        ({ keyStart, keyEnd }, index) => index === 0 || compare(page.subarray(keyStart, keyEnd)) <= 0,
      );
      number = nodes[at]?.child;
      continue;
    }
    const node = nodes.find(({ keyStart, keyEnd }) => compare(page.subarray(keyStart, keyEnd)) === 0);
    if (node === undefined) return undefined;
    if (node.kind === 'tree') return { tree: readTree(page, node.keyEnd) };
    if (node.kind === 'inline') return { value: page.subarray(node.keyEnd, node.keyEnd + node.size) };
    const large = largeOf(page, node, lastPage);
    const bytes = Buffer.allocUnsafe(PAGE_HEADER + large.size);
    file.read(large.page, pageSize, bytes);
    requireLarge(bytes, large, meta.transaction);
    return { value: bytes.subarray(PAGE_HEADER) };
  }
  return undefined;
}

/** The library keeps the names of tables with a zero at the end. */
export const tableKey = (name: string): Buffer => Buffer.from(`${name}\0`);

export function tableName(key: Buffer): string {
  return key.toString('utf8', 0, key.at(-1) === 0 ? key.length - 1 : key.length);
}
