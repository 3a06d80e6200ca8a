import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { wallClock } from '@switchyard/service';
import { spaceFinding } from '../dev/doctor/machine.ts';
import { fetchJson } from '../dev/status/heights.ts';
import type { Urls } from '../dev/status/urls.ts';
import { tried } from '../failure.ts';
import { type Disk, type NetworkFacts, SHARED, type Usage } from './facts.ts';
import { BEFORE_FIRST_POLL, poll } from './poll.ts';

const POLL_MS = 1_000;
/** Space runs out slowly. */
const POLLS_PER_DISK = 15;

interface Polled {
  readonly urls: Urls;
  processes(): readonly { readonly name: string; readonly pid?: number | undefined }[];
  /** Directory whose free space is watched. */
  readonly directory: string;
  onFacts(facts: NetworkFacts): void;
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
  let state = BEFORE_FIRST_POLL;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let disk: Disk | undefined;
  let polls = 0;
  let height: number | undefined;
  let movedAt: number | undefined;
  const again = async () => {
    const began = performance.now();
    state = await poll(urls, state, fetchJson, () => performance.now());
    const at = wallClock.unixMs();
    if (state.facts.sequencerHeight !== height) movedAt = at;
    height = state.facts.sequencerHeight;
    if (polls % POLLS_PER_DISK === 0) disk = await diskAt(directory);
    polls += 1;
    if (isOver) return;
    onFacts({ ...state.facts, at, movedAt, disk, usage: meter.measure(apart(processes()), performance.now()) });
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
    // It may have ended, or this is another system.
    return tried(Error, undefined, () =>
      parseUsage(this.#read(`/proc/${pid}/stat`), this.#read(`/proc/${pid}/status`)),
    );
  }
}

/** From the texts of `/proc/PID/stat` and `/proc/PID/status`. */
export function parseUsage(
  stat: string,
  status: string,
): { readonly cpuMs: number; readonly residentBytes: number } | undefined {
  // The second field is the program's name in brackets and may hold anything; the times are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  if (!Number.isFinite(ticks) || !Number.isFinite(kilobytes)) return undefined;
  return { cpuMs: (ticks * 1_000) / TICKS_PER_SECOND, residentBytes: kilobytes * 1_024 };
}
