import type { Meta, TreeRecord } from './meta.ts';
import type { PageFile } from './page-file.ts';
import { walkTree } from './walk.ts';

/** The tree of a table, reading only the pages on the way to it. @throws {PageDamage} */
export function buildTree(file: PageFile, meta: Meta, table: string): TreeRecord | undefined {
  if (table === '') return meta.main;
  const found: TreeRecord[] = [];
  // The library keeps the names of tables with a zero at the end.
  walkTree(file, meta, meta.main, { only: Buffer.from(`${table}\0`), onTree: (_, tree) => void found.push(tree) });
  return found[0];
}

/** The value of a record, reading only the pages on the way to it. @throws {PageDamage} */
export function recordOf(file: PageFile, meta: Meta, tree: TreeRecord, key: Buffer): Buffer | undefined {
  const found: Buffer[] = [];
  walkTree(file, meta, tree, { only: key, onRecord: (_, value) => void found.push(value) });
  return found[0];
}

export function tableName(key: Buffer): string {
  return key.toString('utf8', 0, key.at(-1) === 0 ? key.length - 1 : key.length);
}
