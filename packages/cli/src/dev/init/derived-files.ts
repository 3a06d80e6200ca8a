import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readText, replaceFile } from '../files/files.ts';
import { readJsonFile } from '../files/read-json.ts';
import type { InstancePaths } from '../instance/home.ts';

/*
 * `config/derived.json` has the hashes of the genesis files that are as this tool derived them from the names of the
 * network. Such a file follows the names until the first block; one that was edited since is the user's.
 */

/** A file whose text follows from the names of an instance. */
export interface DerivedFile {
  readonly path: string;
  text(): string;
}

const recordOf = ({ config }: InstancePaths) => join(config, 'derived.json');
const nameOf = ({ directory }: InstancePaths, path: string) => relative(directory, path);
const hashOf = (path: string) => createHash('sha256').update(readText(path)).digest('hex');

export function isDerived(paths: InstancePaths, path: string): boolean {
  const recorded = readJsonFile(recordOf(paths), (record) => record.at(nameOf(paths, path)).text());
  return recorded !== undefined && existsSync(path) && recorded === hashOf(path);
}

/** Records which of the files are as they would be derived now. @throws {Failure} */
export function recordDerived(paths: InstancePaths, files: readonly DerivedFile[]): void {
  const derived = files.filter(({ path, text }) => existsSync(path) && readText(path) === text());
  const hashes = Object.fromEntries(derived.map(({ path }) => [nameOf(paths, path), hashOf(path)]));
  const record = `${JSON.stringify(hashes, null, 2)}\n`;
  if (!existsSync(recordOf(paths)) || readText(recordOf(paths)) !== record) replaceFile(recordOf(paths), record, 0o644);
}
