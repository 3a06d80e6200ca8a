import { existsSync } from 'node:fs';
import { problemText } from './damaged.ts';
import { dataFile, getFormat, isMostlySealed, sealCheck, settled, WrongFormat } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { readLabel } from './label.ts';
import type { RecordCheck } from './pages/inspect.ts';
import { PageDamage } from './pages/meta.ts';
import { type PageFile, readPages } from './pages/page-file.ts';

export interface VerifiedStore {
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  readonly problems: readonly string[];
}

/** Reads all of a store and changes nothing. A process may have it open. */
export function verifyStore(directory: string, kindName: StoreKindName | undefined): VerifiedStore {
  const path = dataFile(directory);
  const nothing = { file: path, records: 0, bytes: 0 };
  if (!existsSync(path)) return { ...nothing, problems: ['the file is missing'] };
  return readPages(path, (file) => {
    if (file.size === 0) return { ...nothing, problems: ['the file is empty'] };
    try {
      if (kindName === undefined) return verifyUnknown(file);
      getFormat(file, STORE_KINDS[kindName], readLabel(directory));
    } catch (error) {
      if (!(error instanceof PageDamage || error instanceof WrongFormat)) throw error;
      // Records behind a damaged format record may be whole.
      return verified(file, sealCheck, error.message);
    }
    return verified(file, sealCheck);
  });
}

function verified(file: PageFile, check: RecordCheck, first?: string): VerifiedStore {
  const { records, bytes, problems } = settled(file, check);
  const texts = problems.map(problemText);
  const all = first === undefined ? texts : [first, ...texts.filter((text) => !text.includes(first))];
  return { file: file.path, records, bytes, problems: all };
}

/** The file has neither label nor format: it is a file that lost both, or another program's. */
function verifyUnknown(file: PageFile): VerifiedStore {
  if (!isMostlySealed(file, file.meta())) return verified(file, () => undefined);
  return verified(file, sealCheck, 'the format record is missing, and store.json next to the file');
}
