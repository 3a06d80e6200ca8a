import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemReason } from '../../dev/files/files.ts';
import { Failure } from '../../failure.ts';

/** @param force Write over files that are there. @throws {Failure} where it cannot, or there are any. */
export function writeDirectory(directory: string, files: ReadonlyMap<string, string>, force: boolean): void {
  if (!force && !isEmpty(directory))
    throw new Failure(
      `${directory}: expected an empty or no directory: name another with --out, or write over it with --force`,
    );
  for (const [name, text] of files) {
    const path = join(directory, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    } catch (error) {
      throw new Failure(`${path}: cannot be written: ${systemReason(error)}`, undefined, { cause: error });
    }
  }
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
    throw new Failure(`${directory}: cannot be read: ${systemReason(error)}`, undefined, { cause: error });
  }
}
