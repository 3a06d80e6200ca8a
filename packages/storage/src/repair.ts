import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { problemText } from './damaged.ts';
import { dataFile } from './examine.ts';
import { STORE_KINDS, type StoreKind, type StoreKindName } from './kinds.ts';
import { writeLabel } from './label.ts';
import { readPages } from './pages/page-file.ts';
import { rewriteStore, syncPath } from './rewrite.ts';
import { verifyStore } from './verify.ts';

export interface Repaired {
  /** New path of the damaged store. Nothing is deleted. */
  readonly aside: string;
  /** Directory of the copy that lost records were taken from. */
  readonly copy?: string;
  /** Records that were saved; undefined if all are made again. */
  readonly saved: number | undefined;
  /** Keys of the records that were lost. */
  readonly lost: readonly string[];
}

/**
 * Repairs a store that no process has open: a derived store is set aside whole, of another everything whose
 * checksum is right is saved.
 *
 * @param copies Directories of earlier copies, from which a store is refilled that cannot be without any of its records.
 * @returns undefined if none of these has all that is lost. Nothing has changed then.
 */
export function repairStore(
  directory: string,
  kindName: StoreKindName,
  copies: readonly string[] = [],
): Repaired | undefined {
  const kind: StoreKind = STORE_KINDS[kindName];
  if (kind.repair === 'refill') return refill(directory, kindName, copies);
  if (kind.repair !== 'salvage') return { aside: setAside(directory), saved: undefined, lost: [] };
  const rewritten = salvage(directory, kindName);
  if (rewritten === undefined) {
    const lost = [`all records: ${dataFile(directory)} is missing or has no readable beginning`];
    return { aside: setAside(directory), saved: 0, lost };
  }
  writeLabel(directory, { kind: kindName, format: kind.format, closed: true });
  const lost = rewritten.problems.map(problemText);
  return { aside: rewritten.aside, saved: rewritten.written, lost };
}

/** First without a copy: damage may be in pages without records. */
function refill(directory: string, kindName: StoreKindName, copies: readonly string[]): Repaired | undefined {
  const kind: StoreKind = STORE_KINDS[kindName];
  for (const copy of [undefined, ...copies]) {
    if (copy !== undefined && verifyStore(copy, kindName).problems.length > 0) continue;
    const from = copy === undefined ? {} : { copy };
    const rewritten = salvage(directory, kindName, copy);
    if (rewritten === undefined && copy !== undefined) {
      const aside = setAside(directory);
      for (const name of ['data.mdb', 'store.json']) copyFileSync(join(copy, name), join(directory, name));
      syncPath(directory);
      return { aside, saved: verifyStore(directory, kindName).records, lost: [], ...from };
    }
    if (rewritten !== undefined && rewritten.missing === 0) {
      writeLabel(directory, { kind: kindName, format: kind.format, closed: true });
      return { aside: rewritten.aside, saved: rewritten.written, lost: [], ...from };
    }
    if (rewritten !== undefined) rmSync(rewritten.aside, { recursive: true });
  }
  return undefined;
}

/** @param copy Directory that lost records are taken from; if some are still lost, nothing changes. */
function salvage(directory: string, kindName: StoreKindName, copy?: string) {
  const path = dataFile(directory);
  if (!existsSync(path) || statSync(path).size === 0 || !hasBeginning(path)) return undefined;
  const aside = freeName(directory);
  cpSync(directory, aside, { recursive: true, preserveTimestamps: true });
  const rewritten = rewriteStore(directory, kindName, {
    copy: copy && dataFile(copy),
    accept: ({ missing }) => STORE_KINDS[kindName].repair === 'salvage' || missing === 0,
  });
  rmSync(join(directory, 'lock.mdb'), { force: true });
  return { ...rewritten, aside };
}

function hasBeginning(path: string): boolean {
  try {
    return readPages(path, (file) => file.meta()) !== undefined;
  } catch {
    return false;
  }
}

/** Moves a directory out of the way and makes an empty one in its place. @returns its new path. */
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
