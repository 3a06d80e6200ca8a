import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';

/**
 * Other processes that have a file of a directory open, from `/proc` (Linux, and only those of the same user).
 * Elsewhere there are none.
 */
export function processesUsing(directory: string): number[] {
  const below = `${realpathSync(directory)}/`;
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      namesIn(join('/proc', pid, 'fd')).some((fd) => targetOf(join('/proc', pid, 'fd', fd)).startsWith(below)),
    )
    .map(Number);
}

/**
 * Other processes in a store's table of readers. One is in it only while it reads, but on every system.
 *
 * The file is mapped: inspect it first.
 */
export function readersOf(directory: string): number[] {
  const db = open({ path: directory, noSubdir: false, encoding: 'binary', readOnly: true, cache: false });
  try {
    // The library declares no such member.
    const list = (db as unknown as { readerList(): string }).readerList();
    const readers = [...list.matchAll(/^\s*(\d+)\s/gm)].map(([, pid]) => Number(pid));
    return readers.filter((pid) => pid !== process.pid && isAlive(pid));
  } finally {
    void db.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
