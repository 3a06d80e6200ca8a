import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadOptions } from './bad-options.ts';

/** A file system in memory, if Linux has one: flushes there cost nothing. */
const MEMORY = '/dev/shm';
/** Containers often have 64 MiB of it, which a long test would use up. */
const LEAST_BYTES = 256 * 1_048_576;

export interface Held {
  readonly directory: string;
  /** Lets others have it, or removes it if it was to end with its network. */
  release(): void;
}

/**
 * Makes a directory for the files of a network that ends with its process: in memory if there is room, else on disk. Those of
 * processes that were killed are removed.
 */
export function temporaryDirectory(): Held {
  const parent = hasRoom(MEMORY) ? MEMORY : tmpdir();
  removeLeftovers(parent);
  const directory = mkdtempSync(join(parent, `${prefix()}${process.pid}-`));
  return { directory, release: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Makes a directory if there is none, and keeps other networks from it. @throws {BadOptions} if one has it. */
export function holdDirectory(directory: string): Held {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'held-by');
  const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (holder !== undefined && isAlive(holder)) {
    throw new BadOptions(
      `directory: a network of process ${holder} has ${directory}: close it, or choose another directory`,
    );
  }
  rmSync(file, { force: true });
  writeFileSync(file, String(process.pid), { flag: 'wx' });
  return { directory, release: () => rmSync(file, { force: true }) };
}

function hasRoom(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize >= LEAST_BYTES;
  } catch {
    return false;
  }
}

/** With the space of process ids, since containers may share the directory. */
function prefix(): string {
  try {
    return `switchyard-network-${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}-`;
  } catch {
    return 'switchyard-network-';
  }
}

function removeLeftovers(parent: string): void {
  const own = prefix();
  for (const name of readdirSync(parent)) {
    const pid = Number(name.startsWith(own) ? /^(\d+)-/.exec(name.slice(own.length))?.[1] : undefined);
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
}
