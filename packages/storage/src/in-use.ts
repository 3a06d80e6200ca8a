import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';

/** A child has the memory of its parent until it executes its program, which may take this long on a busy machine. */
const CHILD_STARTED_WITHIN_MS = 2_000;
const PAUSE_MS = 25;

/**
 * Other processes that have a store of a directory open, from `/proc` (Linux, and only those of the same user).
 * Elsewhere there are none. Blocks for up to two seconds if all of them are children of this process.
 *
 * A process with an open store has its file in memory. A descriptor proves nothing: LMDB lets every child of a process inherit it, for as
 * long as that runs.
 */
export function processesUsing(directory: string): number[] {
  for (const end = performance.now() + CHILD_STARTED_WITHIN_MS; ; ) {
    const found = getHolders(directory);
    if (performance.now() >= end || !(found.length > 0 && found.every(isChildOrGone))) return found;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function getHolders(directory: string): number[] {
  const below = `${realpathSync(directory)}/`;
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => mappedBy(pid).some((file) => file.startsWith(below)))
    .map(Number);
}

/**
 * Other processes in a store's table of readers. One is in it only while it reads, but on every system.
 *
 * The file is mapped: inspect it first.
 */
export function getReaders(directory: string): number[] {
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

function isChildOrGone(pid: number): boolean {
  const stat = toText(`/proc/${pid}/stat`);
  // The name in the second field is of any kind: the fields after it count from its closing bracket.
  const fields = stat.replace(/^.*\) /s, '').split(' ');
  return stat === '' || Number(fields[1]) === process.pid;
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

function toText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Files that a process has in memory; none for an ended process. */
function mappedBy(pid: string): string[] {
  const lines = toText(join('/proc', pid, 'maps')).split('\n');
  return lines.map((line) => line.replace(/^(?:\S+ ){5} */, '')).filter((file) => file.startsWith('/'));
}
