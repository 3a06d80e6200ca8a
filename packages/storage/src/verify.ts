import { existsSync } from 'node:fs';
import { problemText } from './damaged.ts';
import { dataFile, formatOf, isMostlySealed, sealCheck, settled, WrongFormat } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { readLabel } from './label.ts';
import { PageDamage } from './pages/meta.ts';
import { PageFile } from './pages/page-file.ts';

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
  const file = new PageFile(path);
  try {
    if (file.size === 0) return { ...nothing, problems: ['the file is empty'] };
    if (kindName === undefined) return verifyUnknown(file);
    formatOf(file, STORE_KINDS[kindName], readLabel(directory));
    const { records, bytes, problems } = settled(file, sealCheck);
    return { file: path, records, bytes, problems: problems.map(problemText) };
  } catch (error) {
    if (!(error instanceof PageDamage || error instanceof WrongFormat)) throw error;
    // Records behind a damaged format record may be whole.
    const { records, bytes, problems } = settled(file, sealCheck);
    const others = problems.map(problemText).filter((text) => !text.includes(error.message));
    return { file: path, records, bytes, problems: [error.message, ...others] };
  } finally {
    file.close();
  }
}

/** The file has neither label nor format: it is one that lost both, or another program's. */
function verifyUnknown(file: PageFile): VerifiedStore {
  const isOurs = isMostlySealed(file, file.meta());
  const { records, bytes, problems } = settled(file, isOurs ? sealCheck : () => undefined);
  const texts = problems.map(problemText);
  if (isOurs) texts.unshift('the format record is missing, and store.json beside the file');
  return { file: file.path, records, bytes, problems: texts };
}
