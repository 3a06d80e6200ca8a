import { connectControl } from '../control/client.ts';
import type { ControlStatus } from '../control/protocol.ts';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun, type RunFile } from '../instance/run-file.ts';
import { logPath } from '../logs/names.ts';
import { readAsRun } from '../services/flags.ts';
import { planServices } from '../services/services.ts';
import type { ServiceState } from '../supervisor/events.ts';
import { probe } from '../supervisor/probe.ts';
import { isRunning } from '../supervisor/processes.ts';
import { type Heights, readHeights } from './heights.ts';
import {
  type EvmOverview,
  evmUrlOf,
  heightsIn,
  relayerUrlOf,
  rollupUrlOf,
  rpcUrlsOf,
  withdrawersOf,
} from './overview.ts';

export interface ServiceReport {
  readonly name: string;
  readonly pid?: number;
  /** `not-ready`: it runs, and the tool that started it does not answer, so no more is known. */
  readonly state: ServiceState | 'not-ready';
  /** Why it is not ready. */
  readonly reason?: string;
  readonly ports: readonly number[];
  readonly restarts?: number;
  readonly uptimeSeconds?: number;
  /** How its last process ended, unless it was asked to. */
  readonly lastExit?: string;
  /** The last lines of that process. */
  readonly lastLines?: readonly string[];
  /** Times in a row that it has ended without running long in between. */
  readonly failures?: number;
  /** While it waits to be started again. */
  readonly startsInMs?: number;
  readonly logFile?: string;
}

export interface InstanceStatus {
  readonly instance: string;
  readonly directory: string;
  readonly running: boolean;
  readonly pid?: number;
  readonly network?: string;
  readonly since?: string;
  readonly paused?: boolean;
  readonly sequencerHeight?: number;
  /** Why the sequencer makes no blocks, while it makes none. */
  readonly halt?: string;
  /** Absent where none of ours runs. */
  readonly rollup?: Heights['rollup'];
  readonly evm?: Heights['evm'];
  readonly layer?: Heights['layer'];
  readonly withdrawals?: Heights['withdrawals'];
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
  return {
    ...headOf(paths, run),
    paused: reported.paused,
    ...(sequencer.height === undefined ? {} : { sequencerHeight: sequencer.height }),
    ...(sequencer.halt === undefined ? {} : { halt: sequencer.halt }),
    ...(rollup.url === undefined ? {} : { rollup: { name: rollup.name, ...heightsIn(rollup) } }),
    ...(evm === undefined ? {} : { evm: evmStatus(evm) }),
    ...(layer === undefined ? {} : { layer }),
    ...(withdrawals === undefined ? {} : { withdrawals }),
    changedFiles: reported.changedFiles,
    services: reported.services.map((service) => reportOf(service, reported, paths)),
  };
}

function evmStatus({ name, chainId, ...known }: EvmOverview): NonNullable<Heights['evm']> {
  return {
    name,
    ...(chainId === undefined ? {} : { chainId }),
    ...heightsIn(known),
  };
}

function headOf(paths: InstancePaths, run: RunFile | undefined) {
  return {
    instance: paths.name,
    directory: paths.directory,
    running: run !== undefined,
    ...(run === undefined ? {} : { pid: run.tool.pid, network: run.network, since: run.startedAt }),
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
    name,
    state,
    ports: listens.map(({ port }) => port),
    ...(pid === undefined ? {} : { pid }),
    ...(reason === undefined ? {} : { reason }),
    restarts,
    ...(uptimeMs === undefined ? {} : { uptimeSeconds: Math.round(uptimeMs / 1_000) }),
    ...(lastExit === undefined ? {} : { lastExit }),
    ...(lastLines === undefined ? {} : { lastLines }),
    ...(failures === undefined ? {} : { failures }),
    ...(startsInMs === undefined ? {} : { startsInMs }),
    logFile: logPath(paths, name),
  };
}

async function askServices(
  paths: InstancePaths,
  env: NodeJS.ProcessEnv,
  run: RunFile | undefined,
): Promise<InstanceStatus> {
  const instance = readAsRun(paths, run?.network ?? 'local', env);
  const planned = planServices(instance, env);
  const pids = new Map(run?.services.filter(isRunning).map(({ name, pid }) => [name, pid]));
  const urls = {
    ...{ rpcs: rpcUrlsOf(instance.network, planned), rollup: rollupUrlOf(planned), evm: evmUrlOf(planned) },
    ...{ relayer: relayerUrlOf(planned), withdrawers: withdrawersOf(planned) },
  };
  const [heights, services] = await Promise.all([
    readHeights(run === undefined ? {} : urls),
    Promise.all(
      planned.map(async ({ name, ports, ready }): Promise<ServiceReport> => {
        const pid = pids.get(name);
        const base = { name, ports: ports.map(({ port }) => port) };
        if (pid === undefined) return { ...base, state: 'stopped' };
        const unasked = ready === undefined || ready.kind === 'log';
        const answer = unasked ? ({ ready: true } as const) : await probe(ready, pid);
        if (answer.ready) return { ...base, pid, state: 'ready' };
        return { ...base, pid, state: 'not-ready', reason: answer.reason };
      }),
    ),
  ]);
  return {
    ...headOf(paths, run),
    ...(heights.sequencer === undefined ? {} : { sequencerHeight: heights.sequencer }),
    ...(heights.halt === undefined ? {} : { halt: heights.halt }),
    ...(urls.rollup === undefined ? {} : { rollup: { name: instance.network.rollupName, ...heights.rollup } }),
    ...(heights.evm === undefined ? {} : { evm: heights.evm }),
    ...(heights.layer === undefined ? {} : { layer: heights.layer }),
    ...(heights.withdrawals === undefined ? {} : { withdrawals: heights.withdrawals }),
    services,
  };
}
