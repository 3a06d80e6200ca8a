import { statfs } from 'node:fs/promises';
import { Failure } from '../../failure.ts';

/**
 * Makes sure that a copy fits before anything is stopped for it. It may take less: holes are not written, and some file
 * systems share blocks.
 *
 * @throws {Failure} with both sizes.
 */
export async function requireSpace(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new Failure(
    `${directory}: no room for a copy: it needs ${Math.ceil(bytes / 1e6)} MB, ${Math.floor(free / 1e6)} MB are free`,
  );
}
