import { type Dirent, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

/** Contents of a directory, before its bytes are read. Paths are relative, with `/`. */
export interface Tree {
  readonly directories: Manifest['directories'];
  readonly links: Manifest['links'];
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly mode: number }[];
  /** Sockets, pipes, devices: they belong to processes and are left out. */
  readonly skipped: readonly string[];
  /** Space that a copy takes: less than the files' sizes when they have holes. */
  readonly storedBytes: number;
}

/** Walks the given files and directories of `root`; those that are absent are left out. */
export function treeOf(root: string, tops: readonly string[]): Tree {
  const directories: Tree['directories'][number][] = [];
  const links: Tree['links'][number][] = [];
  const files: Tree['files'][number][] = [];
  const skipped: string[] = [];
  let storedBytes = 0;

  const visit = (path: string) => {
    const status = statSync(join(root, path));
    const mode = status.mode & 0o777;
    if (!status.isDirectory()) {
      storedBytes += Math.min(status.size, status.blocks * 512);
      files.push({ path, bytes: status.size, mode });
      return;
    }
    directories.push({ path, mode });
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = `${path}/${entry.name}`;
      if (entry.isSymbolicLink()) links.push({ path: below, target: readlinkSync(join(root, below)) });
      else if (!entry.isDirectory() && !entry.isFile()) skipped.push(below);
      else if (!isLock(entry, entries)) visit(below);
    }
  };
  for (const top of tops) if (statSync(join(root, top), { throwIfNoEntry: false }) !== undefined) visit(top);
  return { directories, links, files, skipped, storedBytes };
}

/** LMDB's lock file lists the processes that have the database open. A copy has none, and LMDB makes a new one. */
function isLock({ name }: Dirent, siblings: readonly Dirent[]): boolean {
  return name === 'lock.mdb' && siblings.some((sibling) => sibling.name === 'data.mdb');
}
