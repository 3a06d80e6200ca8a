import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findMark } from '@switchyard/network/supervisor/processes';
import type { InstancePaths } from '../instance/home.ts';
import { getSnapshots } from './manifest.ts';
import { undoSwap } from './swap.ts';

/*
 * Commands work in directories whose names begin with a dot and hold their process id, so that left-overs of a killed one
 * is known as such.
 */

/** Directory of a snapshot until it is complete. */
export const unfinishedSnapshot = (paths: InstancePaths, name: string, pid = process.pid): string =>
  join(getSnapshots(paths), `.${name}.new-${pid}`);

/** Directory in which the replaced one waits until the new one exists. */
export const replacedSnapshot = (paths: InstancePaths, name: string, pid = process.pid): string =>
  join(getSnapshots(paths), `.${name}.old-${pid}`);

/** Directory in which a restore prepares the new state and keeps the present one. */
export const restoreDirectory = (paths: InstancePaths, pid = process.pid): string =>
  join(paths.directory, `.restore-${pid}`);

/**
 * Cleans up left-overs of killed commands: a restore that was cut short is undone, a replaced snapshot whose successor never
 * came is put back, the rest is removed.
 *
 * @returns a line for each thing that a user should know.
 */
export function cleanUpLeftovers(paths: InstancePaths): string[] {
  const notices: string[] = [];
  for (const [name, path] of leftIn(paths.directory, /^\.restore-(\d+)$/)) {
    if (undoSwap(join(path, 'aside'))) notices.push(`a restore was cut short (${name}): the state before it is back`);
    rmSync(path, { recursive: true, force: true });
  }
  const snapshots = getSnapshots(paths);
  for (const [name, path] of leftIn(snapshots, /^\..+\.old-(\d+)$/)) {
    const original = join(snapshots, name.replace(/^\.(.+)\.old-\d+$/, '$1'));
    if (existsSync(original)) rmSync(path, { recursive: true, force: true });
    else renameSync(path, original);
  }
  for (const [, path] of leftIn(snapshots, /^\..+\.new-(\d+)$/)) rmSync(path, { recursive: true, force: true });
  return notices;
}

function leftIn(directory: string, pattern: RegExp): [name: string, path: string][] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((name): [string, string][] => {
    const pid = pattern.exec(name)?.[1];
    return pid === undefined || findMark(Number(pid)) !== undefined ? [] : [[name, join(directory, name)]];
  });
}
