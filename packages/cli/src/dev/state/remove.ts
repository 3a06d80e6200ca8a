import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, makeDirectory } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';

/** Something that will be removed, and how much it is. */
export interface Removal {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

/** Entries of a directory, measured. Empty when there is nothing. */
export function getContents(directory: string): Removal[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((name) => measured(join(directory, name)));
}

function measured(path: string): Removal {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined || !status.isDirectory()) return { path, files: 1, bytes: status?.size ?? 0 };
  const inside = getContents(path);
  return {
    path,
    files: inside.reduce((sum, { files }) => sum + files, 0),
    bytes: inside.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** @throws {Failure} naming the remaining files. */
export function remove(removals: readonly Removal[]): void {
  for (const { path } of removals) attempt(path, 'removed', () => rmSync(path, { recursive: true, force: true }));
}

/** Back to the first block: everything that services have stored. Configuration, keys and logs stay. */
export function resetState(paths: InstancePaths): Removal[] {
  const removals = getContents(paths.data);
  remove(removals);
  makeDirectory(paths.data);
  return removals;
}
