import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamaged } from './damaged.ts';
import { dataFile, examineStore, type FoundFormat } from './examine.ts';
import type { StoreKindName } from './kinds.ts';

/** Larger files are read whole only after an unclean end; otherwise the scrubber gets to them. */
export const FULL_CHECK_BYTES = 256 * 1_048_576;

export interface PrepareOptions {
  readonly fullCheckBytes?: number;
}

/**
 * To be called before LMDB opens a store: checks the file.
 *
 * @throws {StoreDamaged} naming file, keys and the command that repairs it.
 * @throws {WrongFormat} for another format, or something else.
 */
export function prepareStore(
  directory: string,
  kindName: StoreKindName,
  { fullCheckBytes = FULL_CHECK_BYTES }: PrepareOptions = {},
): { readonly format: FoundFormat } {
  const path = dataFile(directory);
  makeDirectory(directory);
  // A rewrite that was cut short leaves this behind.
  rmSync(join(directory, 'rewrite'), { recursive: true, force: true });
  const { format, label } = examineStore(directory, kindName, fullCheckBytes);
  if (format === 'empty' && label !== undefined) throw new StoreDamaged(directory, path, 'all records are missing');
  return { format };
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new Error(`cannot open the store at ${directory}: ${String(error)}`, { cause: error });
  }
}
