import { readFileSync } from 'node:fs';
import type { Network } from '../support/network.ts';

export const SERVICES = ['sequencer', 'composer', 'conductor', 'rollup'] as const;
export type Service = (typeof SERVICES)[number];

/** Resident memory in MiB and processor seconds of a process, as the kernel counts them (Linux only). */
export function usage(pid: number): { residentMiB: number; cpuSeconds: number } {
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  // Fields 14 and 15 of stat are user and system time in ticks of 10 ms; the name before them may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return { residentMiB: Number(resident) / 1024, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100 };
}

/** Usage of every service of a running network. */
export async function usageOf(network: Network): Promise<Record<Service, ReturnType<typeof usage>>> {
  const entries = await Promise.all(SERVICES.map(async (name) => [name, usage(await network.pid(name))] as const));
  // One entry for each name of the list.
  return Object.fromEntries(entries) as Record<Service, ReturnType<typeof usage>>;
}
