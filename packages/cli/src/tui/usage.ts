import { readFileSync } from 'node:fs';
import type { Usage } from './facts.ts';

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
    try {
      return parseUsage(this.#read(`/proc/${pid}/stat`), this.#read(`/proc/${pid}/status`));
    } catch {
      // It has ended, or this is another system.
      return undefined;
    }
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
