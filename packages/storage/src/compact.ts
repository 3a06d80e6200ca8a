import { existsSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backupStore } from './backup.ts';
import { problemText, StoreDamaged } from './damaged.ts';
import { dataFile, settled } from './examine.ts';
import { getReaders, processesUsing } from './in-use.ts';
import { readPages } from './pages/page-file.ts';
import { syncPath } from './rewrite.ts';
import { COMPACTED_COPY, findStores } from './stores.ts';

export interface CompactLimits {
  /** Smaller files are left alone. */
  readonly minBytes: number;
  /** Share of free pages from which a file is written again. */
  readonly minFreeShare: number;
}

/** At a start: a file that is mostly in use would soon be as large again. */
export const SPARSE: CompactLimits = { minBytes: 16_777_216, minFreeShare: 0.5 };
export const ON_COMMAND: CompactLimits = { minBytes: 0, minFreeShare: 0.05 };

export interface Compacted {
  readonly directory: string;
  /** Bytes of the file. */
  readonly before: number;
  readonly after: number;
}

/** A store that has to stay unchanged: a process has it open, or the disk has no room for the copy. */
export class CannotCompact extends Error {
  override readonly name = 'CannotCompact';
}

/** Stores in and below a directory whose file is large enough for `limits`. */
export function compactable(root: string, { minBytes }: CompactLimits): string[] {
  if (!existsSync(root)) return [];
  return findStores(root)
    .map(({ directory }) => directory)
    .filter((directory) => existsSync(dataFile(directory)) && statSync(dataFile(directory)).size >= minBytes);
}

/**
 * LMDB reuses the pages of deleted records and never returns them to the disk. A file with many free pages is copied
 * without them, and the copy replaces it by one rename, so a process that is killed in the meantime leaves one or the other.
 *
 * @param root All stores in and below this directory; no process may have one open.
 * @throws {StoreDamaged} @throws {CannotCompact} with earlier stores compacted.
 */
export async function compactStores(root: string, limits: CompactLimits): Promise<Compacted[]> {
  const done: Compacted[] = [];
  for (const directory of compactable(root, limits)) {
    const result = await compactStore(directory, limits.minFreeShare);
    if (result !== undefined) done.push(result);
  }
  return done;
}

async function compactStore(directory: string, minFreeShare: number): Promise<Compacted | undefined> {
  const copy = join(directory, COMPACTED_COPY);
  // A process that was killed may have left a copy.
  rmSync(copy, { recursive: true, force: true });
  const { usedBytes, freeShare } = getPages(directory);
  requireUnused(directory);
  if (freeShare < minFreeShare) return undefined;
  requireRoom(directory, usedBytes);
  const before = statSync(dataFile(directory)).size;
  try {
    await backupStore(directory, copy, { compact: true });
    syncPath(dataFile(copy));
    renameSync(dataFile(copy), dataFile(directory));
    syncPath(directory);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return { directory, before, after: statSync(dataFile(directory)).size };
}

/** From the file's own pages, all of which are read: LMDB maps the file that it copies, and a copy of damage would hide it. */
function getPages(directory: string): { readonly usedBytes: number; readonly freeShare: number } {
  return readPages(dataFile(directory), (file) => {
    const { bytes, problems } = settled(file, () => undefined);
    const [problem] = problems;
    if (problem !== undefined) throw new StoreDamaged(directory, file.path, problemText(problem));
    const { lastPage, pageSize } = file.meta();
    const usedBytes = bytes + 2 * pageSize;
    return { usedBytes, freeShare: 1 - usedBytes / ((lastPage + 1) * pageSize) };
  });
}

/** A process with the file open would continue to write to the replaced one. */
function requireUnused(directory: string): void {
  const [user] = [...processesUsing(directory), ...getReaders(directory)];
  if (user !== undefined) throw new CannotCompact(`${directory} is in use by process ${user}: stop it first`);
}

function requireRoom(directory: string, needed: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const available = bavail * bsize;
  if (available >= needed) return;
  throw new CannotCompact(
    `${directory}: the compacted copy needs ${needed} bytes, ${available} are available on the disk`,
  );
}
