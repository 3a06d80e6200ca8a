import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';

/**
 * Copies one committed version of a store into `target`, which is made, while its process keeps writing.
 *
 * The copy's label marks the store as not closed, so its first opener reads all of it.
 *
 * @param options.compact Leaves free pages out.
 */
export async function backupStore(directory: string, target: string, { compact = false } = {}): Promise<void> {
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const db = open({ path: directory, noSubdir: false, encoding: 'binary', readOnly: true, cache: false });
  try {
    await db.backup(target, compact);
  } finally {
    await db.close();
  }
  const label = join(directory, 'store.json');
  if (existsSync(label)) copyFileSync(label, join(target, 'store.json'));
}
