import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataFile, getFormat } from './examine.ts';
import { isStoreKind, STORE_KINDS, type StoreKindName } from './kinds.ts';
import { readLabel } from './label.ts';
import { readPages } from './pages/page-file.ts';

/** Something of ours on disk that can be verified and repaired. */
export interface FoundStore {
  readonly directory: string;
  /** Undefined: neither label nor contents identify it. */
  readonly kind: StoreKindName | undefined;
}

/** An instance is a few levels deep; nothing of ours is deeper. */
const DEEPEST = 8;

/** The stores in and below a directory, in the order of their paths. Stores set aside by a repair are left out. */
export function findStores(root: string, depth = 0): FoundStore[] {
  const found: FoundStore[] = [];
  const names = readdirSync(root, { withFileTypes: true });
  const isStore = names.some(({ name }) => name === 'data.mdb' || name === 'store.json');
  if (isStore) found.push({ directory: root, kind: readLabel(root)?.kind ?? kindOfFile(root) });
  if (depth === DEEPEST) return found;
  for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory() && !SET_ASIDE.test(entry.name) && !UNFINISHED.has(entry.name)) {
      found.push(...findStores(join(root, entry.name), depth + 1));
    }
  }
  return found;
}

/** Target of `compactStores`. */
export const COMPACTED_COPY = 'compact.tmp';

/** Files that are being written, or that a killed process has left. */
const UNFINISHED: ReadonlySet<string> = new Set(['rewrite', COMPACTED_COPY]);

/** Names of stores that a repair sets aside. */
export const SET_ASIDE = /\.damaged-\d+$/;

/** For a store that lost its label. */
function kindOfFile(directory: string): StoreKindName | undefined {
  if (!existsSync(dataFile(directory))) return undefined;
  return Object.keys(STORE_KINDS)
    .filter(isStoreKind)
    .find((name) => {
      try {
        return readPages(dataFile(directory), (file) => getFormat(file, STORE_KINDS[name])) === 'current';
      } catch {
        // Not of this kind, or damaged.
        return false;
      }
    });
}
