import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInMemory } from '@switchyard/storage';

/** A directory is in use by another process. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/**
 * Keeps a second process out of a directory: two writers would destroy each other's blocks.
 *
 * The file names the process. A process that was killed leaves it behind, and then it counts for nothing. A directory whose stores are
 * in memory has none: no other process sees them.
 *
 * @returns a function that gives the directory free.
 * @throws {DirectoryInUse}
 */
export function lockDirectory(directory: string, pid = process.pid): () => void {
  if (isInMemory(directory)) return () => undefined;
  const file = join(directory, 'lock');
  const mine = `${pid} ${getStart(pid)}`;
  for (;;) {
    try {
      writeFileSync(file, mine, { flag: 'wx' });
      return () => {
        if (read(file) === mine) rmSync(file, { force: true });
      };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = read(file);
    const [holderPid] = (holder ?? '').split(' ');
    if (holder !== undefined && isRunning(Number(holderPid), holder)) {
      throw new DirectoryInUse(`${directory} is in use by process ${holderPid}; stop it, or set another directory`);
    }
    rmSync(file, { force: true });
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Process numbers are used again, so the time at which a process started tells whether it is still the same. */
function isRunning(pid: number, holder: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted: the process exists and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return holder === `${pid} ${getStart(pid)}`;
}

/** In ticks since the machine started, if the system tells. */
function getStart(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  // The name before it is in brackets and may hold anything.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
