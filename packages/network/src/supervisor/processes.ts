import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tried } from '@switchyard/service/failure';

/** A process, distinguishable from a later one with the same pid. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time as the system reports it, uninterpreted. */
  readonly started: string;
}

/** @returns `undefined` when there is no such process (any more). */
export function findMark(pid: number): ProcessMark | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether exactly this process still runs. */
export function isRunning({ pid, started }: ProcessMark): boolean {
  return findMark(pid)?.started === started;
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

/** Sends a signal to exactly this process. Never throws: it may be gone. */
export function signalProcess(mark: ProcessMark, signal: NodeJS.Signals): void {
  if (!isRunning(mark)) return;
  try {
    process.kill(mark.pid, signal);
  } catch {
    // It ended in this moment.
  }
}

/** Sends a signal to all of a process group. Never throws: the group may be gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No such group any more.
  }
}

/** A file below `/proc`; `undefined` when the process is gone. */
export const readProc = (path: string) => tried(Error, undefined, () => readFileSync(path, 'utf8'));

/**
 * Processes that were started with this variable in their environment, as far as the system shows it: only Linux does, for
 * processes of the same user. A program that has left its group, as daemons do, is found by it.
 */
export function processesWith(variable: string, value: string): ProcessMark[] {
  if (process.platform !== 'linux') return [];
  const wanted = `\0${variable}=${value}\0`;
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || !`\0${readProc(`/proc/${name}/environ`) ?? ''}`.includes(wanted)) return [];
    const mark = findMark(Number(name));
    return mark === undefined ? [] : [mark];
  });
}

/** A variable in the environment that a process was started with, if the system shows it as in {@link processesWith}. */
export function findVariable(pid: number, variable: string): string | undefined {
  const entries = (readProc(`/proc/${pid}/environ`) ?? '').split('\0');
  return entries.find((entry) => entry.startsWith(`${variable}=`))?.slice(variable.length + 1);
}
