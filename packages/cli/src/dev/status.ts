import { type Heights, readHeights } from './heights.ts';
import type { InstancePaths } from './home.ts';
import { readInstance } from './instance.ts';
import { rollupUrlOf } from './overview.ts';
import { currentRun } from './run-file.ts';
import { planServices } from './services.ts';
import { probe } from './supervisor/probe.ts';
import { isRunning } from './supervisor/processes.ts';

export interface InstanceStatus {
  readonly instance: string;
  readonly directory: string;
  readonly running: boolean;
  readonly pid?: number;
  readonly network?: string;
  readonly since?: string;
  readonly sequencerHeight?: number;
  readonly rollup?: Heights['rollup'];
  readonly services: readonly {
    readonly name: string;
    readonly pid?: number;
    readonly state: 'ready' | 'not-ready' | 'stopped';
    readonly reason?: string;
    readonly ports: readonly number[];
  }[];
}

/** Asks every service of an instance, whoever runs it, how it is. */
export async function statusOf(paths: InstancePaths, env: NodeJS.ProcessEnv): Promise<InstanceStatus> {
  const run = currentRun(paths);
  const instance = readInstance(paths, run?.network ?? 'local', env);
  const planned = planServices(instance, env);
  const pids = new Map(run?.services.filter(isRunning).map(({ name, pid }) => [name, pid]));
  const urls = { rpc: instance.network.sequencerRpc, rollup: rollupUrlOf(planned) };
  const [heights, services] = await Promise.all([
    readHeights(run === undefined ? {} : urls),
    Promise.all(
      planned.map(async ({ name, ports, ready }) => {
        const pid = pids.get(name);
        const base = { name, ports: ports.map(({ port }) => port) };
        if (pid === undefined) return { ...base, state: 'stopped' as const };
        const answer = ready === undefined || ready.kind === 'log' ? { ready: true as const } : await probe(ready, pid);
        return answer.ready
          ? { ...base, pid, state: 'ready' as const }
          : { ...base, pid, state: 'not-ready' as const, reason: answer.reason };
      }),
    ),
  ]);
  return {
    instance: paths.name,
    directory: paths.directory,
    running: run !== undefined,
    ...(run === undefined ? {} : { pid: run.tool.pid, network: run.network, since: run.startedAt }),
    ...(heights.sequencer === undefined ? {} : { sequencerHeight: heights.sequencer }),
    ...(heights.rollup === undefined ? {} : { rollup: heights.rollup }),
    services,
  };
}
