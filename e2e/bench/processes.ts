import { readFileSync } from 'node:fs';
import type { Network } from '../support/network.ts';

export const SERVICES = ['sequencer', 'composer', 'conductor', 'rollup'] as const;
export type Service = (typeof SERVICES)[number];

/**
 * Resident memory in MiB and processor seconds of a process, as the kernel counts them (Linux only). What is private
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

/** Usage of every service of a running network. */
export async function usageOf(network: Network): Promise<Record<Service, ReturnType<typeof usage>>> {
  const entries = await Promise.all(SERVICES.map(async (name) => [name, usage(await network.pid(name))] as const));
  // One entry for each name of the list.
  return Object.fromEntries(entries) as Record<Service, ReturnType<typeof usage>>;
}
