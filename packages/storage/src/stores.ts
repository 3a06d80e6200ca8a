import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataFile, formatOf } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { readLabel } from './label.ts';
import { PageFile } from './pages/page-file.ts';

/** Something of ours on disk that can be verified and repaired. */
export interface FoundStore {
  readonly directory: string;
  /** `block-log`: the files of the solo engine's blocks. Undefined: neither label nor contents identify it. */
  readonly kind: StoreKindName | 'block-log' | undefined;
}

const LOG_FILE = /^\d{16}\.(blocks|segment)$/;
/** An instance is a few levels deep; nothing of ours is deeper. */
const DEEPEST = 8;

/** The stores in and below a directory, in the order of their paths. What was set aside by a repair is left out. */
export function findStores(root: string, depth = 0): FoundStore[] {
  const found: FoundStore[] = [];
  const names = readdirSync(root, { withFileTypes: true });
  const isStore = names.some(({ name }) => name === 'data.mdb' || name === 'store.json');
  if (isStore) found.push({ directory: root, kind: readLabel(root)?.kind ?? kindOfFile(root) });
  if (isBlockLog(root)) found.push({ directory: root, kind: 'block-log' });
  if (depth === DEEPEST) return found;
  for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory() && !SET_ASIDE.test(entry.name) && !UNFINISHED.has(entry.name)) {
      found.push(...findStores(join(root, entry.name), depth + 1));
    }
  }
  return found;
}

/** Where `compactStores` writes. */
export const COMPACTED_COPY = 'compact.tmp';

/** Files that are being written, or that a killed process has left. */
const UNFINISHED: ReadonlySet<string> = new Set(['rewrite', COMPACTED_COPY]);

/** How a repair names what it sets aside. */
export const SET_ASIDE = /\.damaged-\d+$/;

/**
 * The directory to repair for one that a message names. A block index is made again from the blocks beside it, and is the
 * only sign of blocks that are missing, so the two are repaired together.
 */
export function repairRoot(directory: string): string {
  const above = dirname(directory);
  return readLabel(directory)?.kind === 'block-index' && isBlockLog(above) ? above : directory;
}

/** The directory of the solo engine: its log of blocks, with an index beside it. */
function isBlockLog(directory: string): boolean {
  const blocks = join(directory, 'blocks');
  if (!existsSync(blocks) || !statSync(blocks).isDirectory()) return false;
  return (
    readdirSync(blocks).some((name) => LOG_FILE.test(name)) ||
    readLabel(join(directory, 'index'))?.kind === 'block-index'
  );
}

/** For a store without a label, which is one that the former version has closed. */
function kindOfFile(directory: string): StoreKindName | undefined {
  if (!existsSync(dataFile(directory))) return undefined;
  for (const [name, kind] of Object.entries(STORE_KINDS)) {
    const file = new PageFile(dataFile(directory));
    try {
      const format = formatOf(file, kind);
      // Without a record of the format, every file looks like an earlier one of those that had none.
      if (format.kind === 'current' || (format.kind === 'older' && format.format !== undefined))
        return name as StoreKindName;
    } catch {
      // Not of this kind, or damaged.
    } finally {
      file.close();
    }
  }
  return undefined;
}
