import { readFileSync } from 'node:fs';
import type { Network } from './network.ts';

/**
 * Resident memory in MiB and processor seconds of a process, as the kernel counts them (Linux only). Private memory
 * leaves out pages of mapped files, which the kernel takes back when it needs room.
 */
export function usage(pid: number): { residentMiB: number; privateMiB: number; cpuSeconds: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [resident, anonymous] = ['VmRSS', 'RssAnon'].map((name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]),
  );
  // Fields 14 and 15 of stat are user and system time in ticks of 10 ms; the name before them may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return {
    residentMiB: Number(resident) / 1024,
    privateMiB: Number(anonymous) / 1024,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
  };
}

export interface TreeUsage {
  /** Shared pages are divided among the processes that share them. */
  readonly proportionalMiB: number;
  readonly cpuSeconds: number;
}

/** Sums of a process and all its descendants (Linux only). */
export function treeUsage(root: number): TreeUsage {
  const children = (pid: number): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  const pids = [root];
  for (const pid of pids) pids.push(...children(pid));
  const sum = (value: (pid: number) => number) => pids.reduce((all, pid) => all + value(pid), 0);
  const numberIn = (file: string, name: string) => (pid: number) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'latin1'))?.[1]);
  return {
    proportionalMiB: sum(numberIn('smaps_rollup', 'Pss')) / 1024,
    cpuSeconds: sum((pid) => usage(pid).cpuSeconds),
  };
}

/** Runs `work`. @returns its result, and for each service its memory after it and the processor time that it took in the meantime. */
export async function watched<S extends string, T>(
  network: Network,
  services: readonly S[],
  work: () => Promise<T>,
): Promise<{ result: T; used: Record<S, ReturnType<typeof usage>>; text: string }> {
  const pids = await Promise.all(services.map((service) => network.pid(service)));
  const before = pids.map((pid) => usage(pid).cpuSeconds);
  const result = await work();
  // Every service gets its entry below.
  const used = {} as Record<S, ReturnType<typeof usage>>;
  const texts = services.map((service, index) => {
    const after = usage(pids[index] ?? 0);
    used[service] = { ...after, cpuSeconds: after.cpuSeconds - (before[index] ?? 0) };
    return `${service} ${used[service].cpuSeconds.toFixed(1)} s, ${after.residentMiB.toFixed(0)} MiB`;
  });
  return { result, used, text: `processor time and memory: ${texts.join('; ')}` };
}
