import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKSUM_BYTES, isSealed, tableSeed } from './checksum.ts';
import { keyText, problemText, StoreDamaged } from './damaged.ts';
import { STORE_KINDS, type StoreKind, type StoreKindName } from './kinds.ts';
import { readLabel, type StoreLabel } from './label.ts';
import { buildTree, recordOf } from './pages/find.ts';
import { type Inspection, inspectFile, type RecordCheck } from './pages/inspect.ts';
import { type Meta, PageDamage } from './pages/meta.ts';
import { type PageFile, readPages } from './pages/page-file.ts';
import { walkTree } from './pages/walk.ts';

export const dataFile = (directory: string): string => join(directory, 'data.mdb');

/** @throws {Error} with one line for a file of a newer version, or of something else. */
export class WrongFormat extends Error {
  override readonly name = 'WrongFormat';
}

/** Checks every record by its checksum. */
export const sealCheck: RecordCheck = (table, key, value) =>
  isSealed(tableSeed(table), key, value) ? undefined : `the checksum of a record of ${value.length} bytes is wrong`;

/** Whether a file has the format of this version, or nothing at all. @throws {PageDamage} @throws {WrongFormat} */
export function getFormat(file: PageFile, kind: StoreKind, label?: StoreLabel): 'current' | 'empty' {
  const meta = file.meta();
  const tree = buildTree(file, meta, kind.table);
  const value = tree && recordOf(file, meta, tree, kind.formatKey);
  if (value === undefined) {
    if (meta.main.entries === 0) return 'empty';
    if (label !== undefined || isMostlySealed(file, meta)) throw new PageDamage('the format record is missing');
    throw new WrongFormat(`${dirname(file.path)} holds something else than a store of format ${kind.format}`);
  }
  if (!isSealed(tableSeed(kind.table), kind.formatKey, value)) {
    throw new PageDamage(`key ${keyText(kind.formatKey)}: the format record is ${keyText(value)}`);
  }
  const format = value.subarray(0, value.length - CHECKSUM_BYTES).toString('latin1');
  if (format === kind.format) return 'current';
  const advice = 'start the version of Switchyard that wrote it, or a newer one, or choose another directory';
  throw new WrongFormat(
    `${dirname(file.path)} has format ${keyText(Buffer.from(format))}, expected ${kind.format}: ${advice}`,
  );
}

const SAMPLE = 64;

/** Whether the first records of the main table have checksums, which another program's have not. */
export function isMostlySealed(file: PageFile, meta: Meta): boolean {
  let [records, sealed] = [0, 0];
  walkTree(file, meta, meta.main, {
    maxBytes: 65_536,
    onRecord(key, value) {
      if (records === SAMPLE) return;
      records += 1;
      if (isSealed(tableSeed(''), key, value)) sealed += 1;
    },
  });
  return sealed * 2 > records;
}

/** Larger files are read whole only after an unclean end; otherwise the scrubber gets to them. */
const FULL_CHECK_BYTES = 256 * 1_048_576;

/**
 * Looks at a store before LMDB maps its file: the format, and either all of the file or the pages with which an access begins.
 *
 * @returns whether nothing was ever written to it.
 * @throws {StoreDamaged} naming file, keys and the command that repairs it.
 * @throws {WrongFormat} for another format, or something else.
 */
export function examineStore(directory: string, kindName: StoreKindName): boolean {
  const path = dataFile(directory);
  const label = readLabel(directory);
  if (label !== undefined && label.kind !== kindName) {
    throw new WrongFormat(`${directory} holds a store of kind ${label.kind}, expected ${kindName}`);
  }
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size === 0) {
    if (label === undefined) return true;
    throw new StoreDamaged(directory, path, existsSync(path) ? 'the file is empty' : 'the file is missing');
  }
  try {
    return readPages(path, (file) => {
      const format = getFormat(file, STORE_KINDS[kindName], label);
      const isTrusted = size > FULL_CHECK_BYTES && label?.closed === true;
      const [problem] = isTrusted ? [] : settled(file, sealCheck).problems;
      if (problem !== undefined) throw new PageDamage(problemText(problem));
      if (format === 'empty' && label !== undefined) throw new PageDamage('all records are missing');
      return format === 'empty';
    });
  } catch (error) {
    if (error instanceof PageDamage) throw new StoreDamaged(directory, path, error.message);
    throw error;
  }
}

const MAX_ATTEMPTS = 20;

/**
 * An inspection of one version. While a process writes, pages of an old version are written again after two commits, so
 * problems count only if nothing was committed in the meantime.
 */
export function settled(file: PageFile, check: RecordCheck): Inspection {
  for (let attempt = 1; ; attempt += 1) {
    const inspection = inspectFile(file, check);
    if (inspection.problems.length === 0 || attempt === MAX_ATTEMPTS) return inspection;
    if (inspection.transaction === 0 || inspection.transaction === findNewest(file)) return inspection;
  }
}

/** Transaction of the newest version; undefined if the file does not show one. */
export function findNewest(file: PageFile): number | undefined {
  try {
    return file.meta().transaction;
  } catch {
    return undefined;
  }
}
