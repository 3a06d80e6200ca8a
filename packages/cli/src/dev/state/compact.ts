import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { processesUsing, quoted, verifyStructure } from '@switchyard/storage';
import type { Database, RootDatabase } from 'lmdb';
import { Failure } from '../../failure.ts';

/** Smaller files are not worth it, and files that are mostly in use would soon be as large again. */
export interface CompactLimits {
  readonly leastBytes: number;
  /** Of the pages of a file, from which on it is rewritten. */
  readonly freeShare: number;
}

/** At a start; a command compacts whatever has free pages. */
export const SPARSE: CompactLimits = { leastBytes: 16_777_216, freeShare: 0.5 };
export const ON_COMMAND: CompactLimits = { leastBytes: 0, freeShare: 0.05 };

export interface Compacted {
  readonly directory: string;
  readonly before: number;
  readonly after: number;
}

const DATA = 'data.mdb';
/** Where a copy is made; what is there from a run that was killed is removed. */
const COPY = 'compact.tmp';
const MAX_TABLES = 64;

/**
 * LMDB uses the pages of what was deleted again and never gives them back. A file of which many are free is copied
 * without them, and the copy takes its place at once: whoever is killed in between has the one or the other.
 *
 * @param below All databases below this directory, which no process may have open.
 * @throws {Failure} where a process has one open, or the copy would not fit on the disk.
 */
export async function compactAll(below: string, limits: CompactLimits): Promise<Compacted[]> {
  const done: Compacted[] = [];
  for (const directory of databasesBelow(below)) {
    const result = await compact(directory, limits);
    if (result !== undefined) done.push(result);
  }
  return done;
}

/** Directories that hold a database. */
export function databasesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === DATA && !entry.parentPath.endsWith(COPY))
    .map(({ parentPath }) => parentPath)
    .sort();
}

async function compact(directory: string, { leastBytes, freeShare }: CompactLimits): Promise<Compacted | undefined> {
  const copy = join(directory, COPY);
  rmSync(copy, { recursive: true, force: true });
  const before = statSync(join(directory, DATA)).size;
  if (before < leastBytes) return undefined;
  refuseIfDamaged(directory);
  const { open } = await import('lmdb');
  const db = open<Uint8Array, Uint8Array>({
    path: directory,
    noSubdir: false,
    readOnly: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: MAX_TABLES,
  });
  try {
    refuseIfOpen(db, directory);
    const { pageSize, lastPageNumber } = statsOf(db);
    const pages = lastPageNumber + 1;
    const free = pages - usedPages(db);
    if (free / pages < freeShare) return undefined;
    refuseIfFull(directory, (pages - free) * pageSize);
    mkdirSync(copy, { mode: 0o700 });
    await db.backup(copy, true);
  } finally {
    await db.close();
  }
  toDisk(join(copy, DATA));
  renameSync(join(copy, DATA), join(directory, DATA));
  toDisk(directory);
  rmSync(copy, { recursive: true, force: true });
  return { directory, before, after: statSync(join(directory, DATA)).size };
}

interface Stats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
  readonly free?: Stats;
}

function statsOf(db: Database<Uint8Array, Uint8Array>): Stats {
  // The library declares no members.
  return db.getStats() as Stats;
}

/** Two pages say where the trees are; the list of free pages is a tree, too. */
function usedPages(db: RootDatabase<Uint8Array, Uint8Array>): number {
  const main = statsOf(db);
  const trees = [main, ...(main.free === undefined ? [] : [main.free]), ...tablesOf(db, main)];
  return trees.reduce(
    (sum, { treeBranchPageCount, treeLeafPageCount, overflowPages }) =>
      sum + treeBranchPageCount + treeLeafPageCount + overflowPages,
    2,
  );
}

/** Of a database with tables, each key is the name of one; of one without, there are mostly more keys than tables. */
function tablesOf(db: RootDatabase<Uint8Array, Uint8Array>, { entryCount }: Stats): Stats[] {
  if (entryCount > MAX_TABLES) return [];
  return [...db.getKeys({})].flatMap((key) => {
    try {
      return [statsOf(db.openDB(Buffer.from(key).toString(), { encoding: 'binary', keyEncoding: 'binary' }))];
    } catch {
      // A row, and not the name of a table.
      return [];
    }
  });
}

/** LMDB maps what it copies, and a copy of a damaged file would no longer show where the damage was. */
function refuseIfDamaged(directory: string): void {
  const [problem] = verifyStructure(directory);
  if (problem === undefined) return;
  throw new Failure(
    `${join(directory, DATA)} is damaged: ${problem}; repair it with \`switchyard repair ${quoted(directory)}\``,
  );
}

/** A process that has a file open would keep writing into the old one. */
function refuseIfOpen(db: RootDatabase<Uint8Array, Uint8Array>, directory: string): void {
  const list = (db as unknown as { readerList(): string }).readerList();
  const readers = [...list.matchAll(/^\s*(\d+)\s/gm)].map(([, pid]) => Number(pid));
  // Between two reads a process is not in the table; where the system shows them, its open files are asked for too.
  const [other] = [...processesUsing(directory), ...readers.filter((pid) => pid !== process.pid && isAlive(pid))];
  if (other !== undefined) throw new Failure(`${directory} is in use by process ${other}: stop it first`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function refuseIfFull(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(directory));
  const available = bavail * bsize;
  if (available < bytes) {
    throw new Failure(`${directory}: the copy needs ${bytes} bytes, ${available} are available on the disk`);
  }
}

function toDisk(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
