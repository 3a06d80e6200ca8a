import { connectControl } from '../control/client.ts';
import type { ControlStatus } from '../control/protocol.ts';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun, type RunFile } from '../instance/run-file.ts';
import { logPath } from '../logs/names.ts';
import { readAsRun } from '../services/flags.ts';
import { planServices } from '../services/services.ts';
import type { ServiceState, ServiceStatus } from '../supervisor/events.ts';
import { probe } from '../supervisor/probe.ts';
import { isRunning } from '../supervisor/processes.ts';
import type { Readiness } from '../supervisor/spec.ts';
import { type Heights, readHeights, rollupOf } from './heights.ts';
import type { RollupHeights } from './network.ts';
import { heightsIn } from './overview.ts';
import { urlsOf } from './urls.ts';

export interface ServiceReport extends Partial<Omit<ServiceStatus, 'name' | 'state' | 'uptimeMs'>> {
  readonly name: string;
  /** `not-ready`: it runs, and the tool that started it does not answer, so no more is known. */
  readonly state: ServiceState | 'not-ready';
  readonly ports: readonly number[];
  readonly uptimeSeconds?: number | undefined;
  readonly logFile?: string;
}

export interface InstanceStatus extends Heights {
  readonly rollup?: RollupHeights | undefined;
  readonly evm?: (RollupHeights & { readonly chainId?: number | string | undefined }) | undefined;
  readonly instance: string;
  readonly directory: string;
  readonly running: boolean;
  readonly pid?: number | undefined;
  readonly network?: string | undefined;
  readonly since?: string | undefined;
  readonly paused?: boolean;
  /** Files that were edited since they were last read. */
  readonly changedFiles?: readonly string[];
  readonly services: readonly ServiceReport[];
}

/** How an instance and its services are, from the tool that runs it; when that does not answer, from the services. */
export async function statusOf(paths: InstancePaths, env: NodeJS.ProcessEnv): Promise<InstanceStatus> {
  const run = currentRun(paths);
  const control = await connectControl(paths);
  const reported = await control?.status().catch(() => undefined);
  if (run === undefined || reported === undefined) return askServices(paths, env, run);
  const { sequencer, rollup, evm, layer, withdrawals } = reported.overview;
  const planned = new Map(planServices(readAsRun(paths, run.network, env), env).map((each) => [each.name, each]));
  return {
    ...headOf(paths, run),
    paused: reported.paused,
    sequencerHeight: sequencer.height,
    halt: sequencer.halt,
    rollup: rollup.url === undefined ? undefined : { name: rollup.name, ...heightsIn(rollup) },
    evm: evm && { name: evm.name, chainId: evm.chainId, ...heightsIn(evm) },
    ...{ layer, withdrawals },
    changedFiles: reported.changedFiles,
    services: await Promise.all(
      reported.services.map((service) => {
        const report = reportOf(service, reported, paths);
        return reported.paused ? report : asked(report, planned.get(service.name)?.ready);
      }),
    ),
  };
}

function headOf(paths: InstancePaths, run: RunFile | undefined) {
  return {
    instance: paths.name,
    directory: paths.directory,
    running: run !== undefined,
    ...{ pid: run?.tool.pid, network: run?.network, since: run?.startedAt },
  };
}

function reportOf(
  service: ControlStatus['services'][number],
  { overview }: ControlStatus,
  paths: InstancePaths,
): ServiceReport {
  const { name, state, pid, reason, restarts, uptimeMs, lastExit, lastLines, failures, startsInMs } = service;
  const listens = overview.services.find((other) => other.name === name)?.listens ?? [];
  return {
    ...{ name, state, ports: listens.map(({ port }) => port), pid, reason, restarts },
    uptimeSeconds: uptimeMs === undefined ? undefined : Math.round(uptimeMs / 1_000),
    ...{ lastExit, lastLines, failures, startsInMs, logFile: logPath(paths, name) },
  };
}

/** Asks a service that was ready whether it still is: the tool asks until it is for the first time. */
async function asked(report: ServiceReport, ready: Readiness | undefined): Promise<ServiceReport> {
  const { state, pid } = report;
  if (state !== 'ready' || pid === undefined || ready === undefined || ready.kind === 'log') return report;
  const answer = await probe(ready, pid);
  return { ...report, state: answer.ready ? 'ready' : 'not-ready', reason: answer.reason };
}

async function askServices(
  paths: InstancePaths,
  env: NodeJS.ProcessEnv,
  run: RunFile | undefined,
): Promise<InstanceStatus> {
  const instance = readAsRun(paths, run?.network ?? 'local', env);
  const planned = planServices(instance, env);
  const pids = new Map(run?.services.filter(isRunning).map(({ name, pid }) => [name, pid]));
  const urls = urlsOf(instance.network, run === undefined ? [] : planned);
  const [{ rollups, ...heights }, services] = await Promise.all([
    readHeights(run === undefined ? { ...urls, rpcs: [] } : urls),
    Promise.all(
      planned.map(async ({ name, ports, ready }): Promise<ServiceReport> => {
        const pid = pids.get(name);
        const base = { name, ports: ports.map(({ port }) => port) };
        return pid === undefined ? { ...base, state: 'stopped' } : asked({ ...base, pid, state: 'ready' }, ready);
      }),
    ),
  ]);
  const [messenger, evm] = [rollupOf('messenger', rollups), rollupOf('evm', rollups)];
  return {
    ...{ ...headOf(paths, run), ...heights },
    rollup: messenger && { name: messenger.name ?? instance.network.rollupName, ...heightsIn(messenger) },
    evm: evm?.name === undefined ? undefined : { name: evm.name, chainId: evm.chainId, ...heightsIn(evm) },
    services,
  };
}
