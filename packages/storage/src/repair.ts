import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { problemText } from './damaged.ts';
import { dataFile, formatOf } from './examine.ts';
import { STORE_KINDS, type StoreKind, type StoreKindName } from './kinds.ts';
import { readLabel, writeLabel } from './label.ts';
import { PageFile } from './pages/page-file.ts';
import { type Rewritten, rewriteStore, syncPath } from './rewrite.ts';

export interface Repaired {
  /** Where the damaged store is now. Nothing is deleted. */
  readonly aside: string;
  /** Records that were saved; undefined where all are made again. */
  readonly saved: number | undefined;
  /** What was lost, by keys. */
  readonly lost: readonly string[];
}

/**
 * Repairs a store that no process has open: one that can be made again is set aside whole, of another everything whose
 * checksum is right is saved.
 */
export function repairStore(directory: string, kindName: StoreKindName): Repaired {
  const kind: StoreKind = STORE_KINDS[kindName];
  if (kind.repair !== 'salvage') return { aside: setAside(directory), saved: undefined, lost: [] };
  const rewritten = salvage(directory, kind);
  if (rewritten === undefined) {
    const lost = [`all records: ${dataFile(directory)} is missing or has no readable beginning`];
    return { aside: setAside(directory), saved: 0, lost };
  }
  writeLabel(directory, { kind: kindName, format: kind.format, closed: true });
  const lost = rewritten.problems.map(problemText);
  return { aside: rewritten.aside, saved: rewritten.written, lost };
}

function salvage(directory: string, kind: StoreKind): (Rewritten & { aside: string }) | undefined {
  const path = dataFile(directory);
  if (!existsSync(path) || statSync(path).size === 0 || !hasBeginning(path)) return undefined;
  const aside = freeName(directory);
  cpSync(directory, aside, { recursive: true, preserveTimestamps: true });
  const rewritten = rewriteStore(directory, kind, { sealed: isSealedFile(directory, kind), accept: () => true });
  rmSync(join(directory, 'lock.mdb'), { force: true });
  return { ...rewritten, aside };
}

function hasBeginning(path: string): boolean {
  const file = new PageFile(path);
  try {
    file.meta();
    return true;
  } catch {
    return false;
  } finally {
    file.close();
  }
}

/** A file whose format record is damaged counts as sealed: an unsealed one had no such record. */
function isSealedFile(directory: string, kind: StoreKind): boolean {
  const file = new PageFile(dataFile(directory));
  try {
    return formatOf(file, kind, readLabel(directory)).kind !== 'older';
  } catch {
    return true;
  } finally {
    file.close();
  }
}

/** Moves a directory out of the way and makes an empty one in its place. @returns where it is now. */
export function setAside(directory: string): string {
  const aside = freeName(directory);
  const { mode } = statSync(directory);
  renameSync(directory, aside);
  mkdirSync(directory, { mode: mode & 0o777 });
  syncPath(dirname(directory));
  return aside;
}

function freeName(directory: string): string {
  for (let number = 1; ; number += 1) {
    const name = join(dirname(directory), `${basename(directory)}.damaged-${number}`);
    if (!existsSync(name)) return name;
  }
}
