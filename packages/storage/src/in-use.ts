import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Processes that have a file of a directory open, where the system tells (Linux, and only those of the same user).
 * Elsewhere there are none.
 */
export function processesUsing(directory: string): number[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      namesIn(join('/proc', pid, 'fd')).some((fd) =>
        targetOf(join('/proc', pid, 'fd', fd)).startsWith(`${directory}/`),
      ),
    )
    .map(Number);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
