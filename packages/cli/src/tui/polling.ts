import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { wallClock } from '@switchyard/service';
import { tried } from '@switchyard/service/failure';
import { spaceFinding } from '../dev/doctor/machine.ts';
import { type NetworkFacts, NO_FACTS, poll } from '../dev/status/transactions.ts';
import type { Urls } from '../dev/status/urls.ts';

const POLL_MS = 1_000;
/** Space runs out slowly. */
const POLLS_PER_DISK = 15;

/** Resources that a service's process uses. */
export interface Usage {
  /** Percent of one core in the last seconds. */
  readonly cpuPercent?: number | undefined;
  readonly residentBytes: number;
}

interface Disk {
  readonly freeBytes: number;
  readonly level: 'ok' | 'warn' | 'fail';
  /** Suggested remedy if there is little. */
  readonly advice?: string | undefined;
}

/** Stands for the services that share one process in measurements. */
export const SHARED = '';

/** Reports of the services, and measurements on this machine; absent until they are known. */
export interface UiFacts extends NetworkFacts {
  /** Resource usage by the name of the service, if the system shows it. */
  readonly usage: Readonly<Record<string, Usage>>;
  /** The time of day, in milliseconds since the Unix epoch. */
  readonly at?: number | undefined;
  /** When the sequencer was first seen at its height, on the clock of `at`. */
  readonly movedAt?: number | undefined;
  /** Free space for the instance; absent if the system does not show it. */
  readonly disk?: Disk | undefined;
}

interface Polled {
  readonly urls: Urls;
  processes(): readonly { readonly name: string; readonly pid?: number | undefined }[];
  /** Directory whose free space is watched. */
  readonly directory: string;
  onFacts(facts: UiFacts): void;
}

/** Processes of single services, and this one if it has services as its parts. */
function apart(services: ReturnType<Polled['processes']>): ReturnType<Polled['processes']> {
  const own = services.filter(({ pid }) => pid !== process.pid);
  return own.length === services.length ? own : [...own, { name: SHARED, pid: process.pid }];
}

async function diskAt(directory: string): Promise<Disk | undefined> {
  // A directory that was removed in the meantime has no space to show.
  const space = await statfs(directory).catch(() => undefined);
  if (space === undefined) return undefined;
  const { level, advice } = spaceFinding(directory, space);
  return { freeBytes: space.bavail * space.bsize, level, advice };
}

/** Polls the services and measures their processes once a second, until the returned function is called. */
export function startPolling({ urls, processes, directory, onFacts }: Polled): () => void {
  const meter = new UsageMeter();
  let facts = NO_FACTS;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let disk: Disk | undefined;
  let polls = 0;
  let height: number | undefined;
  let movedAt: number | undefined;
  const again = async () => {
    const began = performance.now();
    facts = await poll(urls, facts);
    const at = wallClock.unixMs();
    if (facts.sequencerHeight !== height) movedAt = at;
    height = facts.sequencerHeight;
    if (polls % POLLS_PER_DISK === 0) disk = await diskAt(directory);
    polls += 1;
    if (isOver) return;
    onFacts({ ...facts, at, movedAt, disk, usage: meter.measure(apart(processes()), performance.now()) });
    timer = setTimeout(() => void again(), Math.max(0, began + POLL_MS - performance.now()));
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Clock ticks of Linux, the same on every machine that Node runs on. */
const TICKS_PER_SECOND = 100;

/** The system counts in hundredths of a second, so a share is taken over several readings. */
const READINGS = 5;

interface Reading {
  readonly at: number;
  readonly cpuMs: number;
}

/** CPU time and memory of processes, as Linux shows them in two small files each; other systems would need a program for it. */
export class UsageMeter {
  readonly #read: (path: string) => string;
  /** Readings by process, oldest first. */
  #readings = new Map<number, readonly Reading[]>();

  constructor(read: (path: string) => string = (path) => readFileSync(path, 'latin1')) {
    this.#read = read;
  }

  /** @param at Time on the monotonic clock, in milliseconds. */
  measure(services: readonly { readonly name: string; readonly pid?: number | undefined }[], at: number) {
    const found: Record<string, Usage> = {};
    const readings = new Map<number, readonly Reading[]>();
    for (const { name, pid } of services) {
      const now = pid === undefined ? undefined : this.#usageOf(pid);
      if (pid === undefined || now === undefined) continue;
      const before = this.#readings.get(pid) ?? [];
      const [oldest] = before;
      const cpuPercent =
        oldest === undefined || at <= oldest.at ? undefined : ((now.cpuMs - oldest.cpuMs) / (at - oldest.at)) * 100;
      found[name] = { residentBytes: now.residentBytes, cpuPercent };
      readings.set(pid, [...before, { at, cpuMs: now.cpuMs }].slice(-READINGS));
    }
    this.#readings = readings;
    return found;
  }

  #usageOf(pid: number): { readonly cpuMs: number; readonly residentBytes: number } | undefined {
    // It may have ended, or this system differs.
    return tried(Error, undefined, () =>
      parseUsage(this.#read(`/proc/${pid}/stat`), this.#read(`/proc/${pid}/status`)),
    );
  }
}

/** From the texts of `/proc/PID/stat` and `/proc/PID/status`. */
export function parseUsage(stat: string, status: string) {
  // The second field is the program's name in brackets and may hold anything; the times are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  if (!Number.isFinite(ticks) || !Number.isFinite(kilobytes)) return undefined;
  return { cpuMs: (ticks * 1_000) / TICKS_PER_SECOND, residentBytes: kilobytes * 1_024 };
}
