import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { problemText, StoreDamaged } from './damaged.ts';
import { dataFile, examineStore } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { rewriteStore } from './rewrite.ts';

/** Larger files are read whole only after an unclean end; otherwise the scrubber gets to them. */
export const FULL_CHECK_BYTES = 256 * 1_048_576;

export interface PrepareOptions {
  /** Checks the records of an earlier format, which have no checksums. Why one is wrong. */
  readonly checkUnsealed?: (path: string) => string | undefined;
  readonly fullCheckBytes?: number;
}

/**
 * To be called before LMDB opens a store: checks the file, and rewrites one of an earlier format.
 *
 * @throws {StoreDamaged} naming file, keys and the command that repairs it.
 * @throws {WrongFormat} for a newer format, or something else.
 */
export function prepareStore(
  directory: string,
  kindName: StoreKindName,
  { checkUnsealed, fullCheckBytes = FULL_CHECK_BYTES }: PrepareOptions = {},
): { readonly format: 'current' | 'empty' } {
  const kind = STORE_KINDS[kindName];
  const path = dataFile(directory);
  makeDirectory(directory);
  // A rewrite that was cut short leaves this behind.
  rmSync(join(directory, 'rewrite'), { recursive: true, force: true });
  const { format, label } = examineStore(directory, kindName, fullCheckBytes);
  if (format.kind === 'empty' && label !== undefined)
    throw new StoreDamaged(directory, path, 'all records are missing');
  if (format.kind !== 'older') return { format: format.kind };
  const wrong = checkUnsealed?.(path);
  if (wrong !== undefined) throw new StoreDamaged(directory, path, wrong);
  const { problems } = rewriteStore(directory, kind, {
    sealed: false,
    accept: ({ problems: found }) => found.length === 0,
  });
  const [problem] = problems;
  if (problem !== undefined) throw new StoreDamaged(directory, path, problemText(problem));
  return { format: 'current' };
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new Error(`cannot open the store at ${directory}: ${String(error)}`, { cause: error });
  }
}
