import type { ServiceState, ServiceStatus } from '@switchyard/network/supervisor/events';
import { probeAgain } from '@switchyard/network/supervisor/probe';
import { isRunning } from '@switchyard/network/supervisor/processes';
import { connectControl } from '../control/client.ts';
import type { InstancePaths } from '../instance/home.ts';
import type { Instance } from '../instance/instance.ts';
import { currentRun, type RunFile } from '../instance/run-file.ts';
import { logPath } from '../logs/names.ts';
import { readAsRun } from '../services/flags.ts';
import type { PlannedService } from '../services/planned.ts';
import { planServices } from '../services/services.ts';
import type { Facts } from './facts.ts';
import type { Overview, RollupHeights } from './network.ts';
import { heightsIn, readOverview, toOverview } from './overview.ts';
import { NO_FACTS } from './transactions.ts';

export interface ServiceReport extends Partial<Omit<ServiceStatus, 'name' | 'state' | 'uptimeMs'>> {
  readonly name: string;
  /** `not-ready`: it runs, and the tool that started it does not answer, so no more is known. */
  readonly state: ServiceState | 'not-ready';
  readonly ports: readonly number[];
  readonly uptimeSeconds?: number | undefined;
  readonly logFile?: string;
}

export interface InstanceStatus
  extends Pick<Facts, 'sequencerHeight' | 'halt' | 'withdrawals'>,
    Pick<Overview, 'instance' | 'directory' | 'layer'> {
  readonly rollup?: RollupHeights | undefined;
  readonly evm?: (RollupHeights & { readonly chainId?: number | string | undefined }) | undefined;
  readonly running: boolean;
  readonly pid?: number | undefined;
  readonly network?: string | undefined;
  readonly since?: string | undefined;
  readonly paused?: boolean;
  /** Files that were edited since they were last read. */
  readonly changedFiles?: readonly string[];
  readonly services: readonly ServiceReport[];
}

/** How an instance and its services are: as the tool that runs it reports, or if that does not answer, as they answer themselves. */
export async function getStatus(paths: InstancePaths, env: NodeJS.ProcessEnv): Promise<InstanceStatus> {
  const run = currentRun(paths);
  const instance = readAsRun(paths, run?.network ?? 'local', env);
  const planned = planServices(instance, env);
  const control = await connectControl(paths);
  const reported = await control?.status().catch(() => undefined);
  const { overview, services, paused, changedFiles } = reported ?? (await askServices(instance, planned, run));
  const { sequencer, rollup, evm, layer, withdrawals } = overview;
  return {
    ...{ instance: paths.name, directory: paths.directory, running: run !== undefined, paused, changedFiles },
    ...{ pid: run?.tool.pid, network: run?.network, since: run?.startedAt },
    ...{ sequencerHeight: sequencer.height, halt: sequencer.halt, layer, withdrawals },
    rollup: rollup.url === undefined ? undefined : { name: rollup.name, ...heightsIn(rollup) },
    evm: evm && { name: evm.name, chainId: evm.chainId, ...heightsIn(evm) },
    services: await Promise.all(
      services.map(async (service) => {
        const { ready, ports = [] } = planned.find(({ name }) => name === service.name) ?? {};
        const report = toReport(service, ports, paths);
        const answer = paused ? undefined : await probeAgain(report, ready);
        return answer ? { ...report, state: answer.ready ? 'ready' : 'not-ready', reason: answer.reason } : report;
      }),
    ),
  };
}

function toReport(
  { name, uptimeMs, ...status }: ServiceStatus,
  ports: readonly { readonly port: number }[],
  paths: InstancePaths,
): ServiceReport {
  const uptimeSeconds = uptimeMs === undefined ? undefined : Math.round(uptimeMs / 1_000);
  return { name, ...status, ports: ports.map(({ port }) => port), uptimeSeconds, logFile: logPath(paths, name) };
}

/** Makes the report of the tool from the processes in the run file, and the answers of their services. */
async function askServices(instance: Instance, services: readonly PlannedService[], run: RunFile | undefined) {
  const pids = new Map(run?.services.filter(isRunning).map(({ name, pid }) => [name, pid]));
  const status = () =>
    services.map(({ name }): ServiceStatus => {
      const pid = pids.get(name);
      return { name, state: pid === undefined ? 'stopped' : 'ready', pid, restarts: 0, reason: undefined };
    });
  const running = { instance, services: run === undefined ? [] : services, supervisor: { status } };
  const overview = run === undefined ? toOverview(running, NO_FACTS) : await readOverview(running);
  return { overview, services: status(), paused: false, changedFiles: [] };
}
