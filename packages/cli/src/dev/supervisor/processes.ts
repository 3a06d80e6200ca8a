import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that can be told from a later one with the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** When the system says it started, in the system's own form. */
  readonly started: string;
}

/** @returns `undefined` when there is no such process (any more). */
export function markOf(pid: number): ProcessMark | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether exactly this process still runs. */
export function isRunning({ pid, started }: ProcessMark): boolean {
  return markOf(pid)?.started === started;
}

function startedOnLinux(pid: number): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets and may hold anything; field 3 is the state, 22 the start time.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return fields[19];
}

function startedByPs(pid: number): string | undefined {
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}

/** Sends a signal to all of a process group. Never throws: the group may be gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No such group any more.
  }
}

/**
 * The process that listens on a port, as far as this system tells: only Linux does without another program, and only
 * for processes of the same user.
 */
export function holderOf(port: number): { readonly pid: number; readonly command: string } | undefined {
  const sockets = listeningSockets(port);
  if (sockets.size === 0) return undefined;
  for (const name of list('/proc')) {
    if (/^\d+$/.test(name) && holdsAny(Number(name), sockets)) {
      const command = readProc(`/proc/${name}/cmdline`)?.split('\0').join(' ').trim() ?? '';
      return { pid: Number(name), command: command.length > 120 ? `${command.slice(0, 117)}...` : command };
    }
  }
  return undefined;
}

/** Whether this very process listens on the port; `undefined` where the system does not tell. */
export function listens(pid: number, port: number): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  const sockets = listeningSockets(port);
  return sockets.size === 0 ? undefined : holdsAny(pid, sockets);
}

const LISTEN = '0A';

/** Inode numbers of the sockets that listen on a port. */
function listeningSockets(port: number): Set<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readProc(table)?.split('\n') ?? []) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === LISTEN && inode !== undefined && local?.endsWith(suffix)) sockets.add(`socket:[${inode}]`);
    }
  }
  return sockets;
}

function holdsAny(pid: number, sockets: ReadonlySet<string>): boolean {
  return list(`/proc/${pid}/fd`).some((fd) => {
    try {
      return sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      return false;
    }
  });
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
