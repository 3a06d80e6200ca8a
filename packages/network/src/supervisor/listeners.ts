import { execFile } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { socketsAt } from '@switchyard/service';
import { tried } from '@switchyard/service/failure';
import { readProc } from './processes.ts';

export interface PortHolder {
  readonly pid: number;
  readonly command: string;
  /** False: it is the near end of a connection that the process has opened. */
  readonly listens: boolean;
}

/** Lookup of the processes that hold a port, by the means of one system. */
interface Listeners {
  holder(port: number): Promise<PortHolder | undefined>;
  /** Whether the group holds it; `undefined` when the system does not show it. */
  heldByGroup(port: number, group: number): Promise<boolean | undefined>;
}

/** The process that has a port, if the system shows it, which it does for processes of the same user. */
export function findHolder(port: number): Promise<PortHolder | undefined> {
  return listeners.holder(port);
}

/**
 * Whether a process of this group listens on the port: a service may be a script whose child does.
 *
 * @returns `undefined` when the system does not show it, or there is no listener.
 */
export function groupListens(group: number, port: number): Promise<boolean | undefined> {
  return listeners.heldByGroup(port, group);
}

const onLinux: Listeners = {
  async holder(port) {
    const found = socketsAt(port);
    const listens = found.some((socket) => socket.listens);
    const sockets = new Set(found.flatMap((socket) => (!listens || socket.listens ? [socket.name] : [])));
    const pid = sockets.size === 0 ? undefined : processes().find((candidate) => holdsAny(candidate, sockets));
    return pid === undefined ? undefined : { pid, command: getCommand(pid), listens };
  },

  async heldByGroup(port, group) {
    const found = socketsAt(port).filter(({ listens }) => listens);
    if (found.length === 0) return undefined;
    const sockets = new Set(found.map(({ name }) => name));
    if (holdsAny(group, sockets)) return true;
    if (processes().some((pid) => findGroup(pid) === group && holdsAny(pid, sockets))) return true;
    // Sockets of another user may be held for us, as by a container engine; whose they are cannot be seen.
    return found.every(({ user }) => user !== process.getuid?.()) ? undefined : false;
  },
};

/** macOS, and others that have `lsof`. */
const byLsof: Listeners = {
  async holder(port) {
    const [first] = await lsof(port);
    return first === undefined ? undefined : { pid: first.pid, command: first.command, listens: true };
  },

  async heldByGroup(port, group) {
    const found = await lsof(port);
    return found.length === 0 ? undefined : found.some((entry) => entry.group === group);
  },
};

const listeners = process.platform === 'linux' ? onLinux : byLsof;

async function lsof(port: number): Promise<{ pid: number; group: number; command: string }[]> {
  try {
    const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpgc'];
    return parseLsof((await promisify(execFile)('lsof', args, { timeout: 2_000 })).stdout);
  } catch {
    // Status 1: no listener. Or there is no lsof.
    return [];
  }
}

/** One field a line, its letter first; `p` begins a process. */
export function parseLsof(text: string): { pid: number; group: number; command: string }[] {
  return text
    .split(/^p/m)
    .slice(1)
    .map((block) => {
      const [pid, ...fields] = block.split('\n');
      const field = (letter: string) => fields.find((line) => line.startsWith(letter))?.slice(1) ?? '';
      return { pid: Number(pid), group: Number(field('g')), command: field('c') };
    });
}

function processes(): number[] {
  return list('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function getCommand(pid: number): string {
  const command = readProc(`/proc/${pid}/cmdline`)?.split('\0').join(' ').trim() ?? '';
  return command.length > 120 ? `${command.slice(0, 117)}...` : command;
}

function findGroup(pid: number): number | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  // Behind the program's name in brackets: state, parent, group.
  const group = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[2];
  return group === undefined ? undefined : Number(group);
}

function holdsAny(pid: number, sockets: ReadonlySet<string>): boolean {
  return list(`/proc/${pid}/fd`).some((fd) =>
    tried(Error, false, () => sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`))),
  );
}

const list = (path: string) => tried(Error, [], () => readdirSync(path));
