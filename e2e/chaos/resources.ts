import { readdirSync } from 'node:fs';
import { usage } from '../support/usage.ts';
import type { Tool } from './tool.ts';

export interface Resources {
  readonly service: string;
  readonly residentMiB: number;
  readonly handles: number;
}

/** Memory and open files of every process, as the kernel counts them; empty elsewhere than on Linux. */
export async function getResources(tool: Tool): Promise<Resources[]> {
  if (process.platform !== 'linux') return [];
  const { pid, services } = await tool.status();
  return [...services, { name: 'tool', pid }].flatMap(({ name, pid: each }) => {
    if (each === undefined) return [];
    try {
      const { residentMiB } = usage(each);
      return [{ service: name, residentMiB, handles: readdirSync(`/proc/${each}/fd`).length }];
    } catch {
      // Ended in the meantime.
      return [];
    }
  });
}
