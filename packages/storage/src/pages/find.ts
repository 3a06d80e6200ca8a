import type { Meta, TreeRecord } from './meta.ts';
import type { PageFile } from './page-file.ts';
import { walkTree } from './walk.ts';

export type Found = { readonly value: Buffer } | { readonly tree: TreeRecord };

/** Finds the record of a key, reading only the pages on the way to it. @throws {PageDamage} */
export function findRecord(file: PageFile, meta: Meta, tree: TreeRecord, key: Buffer): Found | undefined {
  const found: Found[] = [];
  walkTree(file, meta, tree, {
    only: key,
    onRecord: (_, value) => void found.push({ value }),
    onTree: (_, below) => void found.push({ tree: below }),
  });
  return found[0];
}

/** The library keeps the names of tables with a zero at the end. */
export const tableKey = (name: string): Buffer => Buffer.from(`${name}\0`);

export function tableName(key: Buffer): string {
  return key.toString('utf8', 0, key.at(-1) === 0 ? key.length - 1 : key.length);
}
