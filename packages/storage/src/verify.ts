import { existsSync } from 'node:fs';
import { problemText } from './damaged.ts';
import { dataFile, formatOf, sealCheck, settled, WrongFormat } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { readLabel } from './label.ts';
import { PageDamage } from './pages/meta.ts';
import { PageFile } from './pages/page-file.ts';

export interface VerifiedStore {
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  /** Whether records have checksums. Those of an earlier format have none until a process opens the store. */
  readonly sealed: boolean;
  readonly problems: readonly string[];
}

/** Reads all of a store and changes nothing. A process may have it open. */
export function verifyStore(directory: string, kindName: StoreKindName | undefined): VerifiedStore {
  const path = dataFile(directory);
  const nothing = { file: path, records: 0, bytes: 0, sealed: false };
  if (!existsSync(path)) return { ...nothing, problems: ['the file is missing'] };
  if (kindName === undefined)
    return { ...nothing, problems: ['it does not say what it is, and no kind of store fits'] };
  const file = new PageFile(path);
  try {
    if (file.size === 0) return { ...nothing, problems: ['the file is empty'] };
    const format = formatOf(file, STORE_KINDS[kindName], readLabel(directory));
    const sealed = format.kind !== 'older';
    const { records, bytes, problems } = settled(file, sealed ? sealCheck : () => undefined);
    return { file: path, records, bytes, sealed, problems: problems.map(problemText) };
  } catch (error) {
    if (!(error instanceof PageDamage || error instanceof WrongFormat)) throw error;
    // What is behind a damaged format record may be whole.
    const { records, bytes, problems } = settled(file, sealCheck);
    const others = problems.map(problemText).filter((text) => !text.includes(error.message));
    return { file: path, records, bytes, sealed: true, problems: [error.message, ...others] };
  } finally {
    file.close();
  }
}

/** What is wrong with the structure of a file, whatever its records are. */
export function verifyStructure(directory: string): string[] {
  const file = new PageFile(dataFile(directory));
  try {
    return settled(file, () => undefined).problems.map(problemText);
  } finally {
    file.close();
  }
}
