import { Host } from '@switchyard/network/host';
import { watchLoop } from '@switchyard/service';
import { prepareNode } from '../comet/service.ts';
import { serveControl } from '../control/server.ts';
import { systemReason } from '../files/files.ts';
import { deriveGenesis } from '../init/genesis-at-start.ts';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun, holdInstance } from '../instance/run-file.ts';
import { makeSecrets } from '../instance/secrets.ts';
import { openLogs } from '../logs/write.ts';
import type { Flags } from '../services/flags.ts';
import { cleanUpLeftovers } from '../snapshot/leftovers.ts';
import { claimStartPage, openStartPage } from '../start-page/open.ts';
import type { SupervisorEvent } from '../supervisor/events.ts';
import type { PortUse } from '../supervisor/spec.ts';
import { createSupervisor } from '../supervisor/supervisor.ts';
import type { Programs } from './banner.ts';
import { RunPlan } from './plan.ts';
import { RunPorts } from './ports.ts';
import { prepareRun } from './prepare.ts';
import { restartOnChange } from './restart-on-change.ts';
import { RunRecord } from './run-record.ts';
import { Run, type RunningInstance } from './running.ts';
import { Watcher } from './watcher.ts';

export interface StartOptions {
  readonly paths: InstancePaths;
  readonly network: string;
  readonly env: NodeJS.ProcessEnv;
  /** From the command line; these take precedence over the files. */
  readonly flags?: Flags;
  /** How the user calls our command lines; by default, by their names. */
  readonly programs?: Programs;
  /** Aborts what precedes the first process, such as a download. */
  readonly signal?: AbortSignal;
  /** When this process is killed, another one starts the instance again. */
  readonly isWatched?: boolean;
  /** Receives all events from the first start on. */
  readonly onEvent?: (event: SupervisorEvent) => void;
  /** Receives what the user should know and what prevents nothing. */
  readonly onNotice?: (line: string) => void;
  /** Gets what takes errors of services that are parts of this process. */
  readonly onHost?: (takeUnhandled: (error: unknown) => boolean) => void;
}

const INSTALLED: Programs = { switchyard: 'switchyard', rollupCli: 'rollup-cli' };

/**
 * Starts all services of one network of an instance: the composition root of `dev run`. When this fails, nothing has
 * been started.
 *
 * @throws {Failure} when the files are wrong, a port is taken, or the instance already runs.
 */
export async function startInstance(options: StartOptions): Promise<RunningInstance> {
  const {
    paths,
    network,
    env,
    flags = {},
    programs = INSTALLED,
    signal,
    isWatched = false,
    onNotice = () => {},
    onEvent = () => {},
  } = options;
  const watcher = new Watcher(env);
  signal?.addEventListener('abort', () => watcher.end());
  // A failure to start may pass, unless it is that another run has the instance.
  if (isWatched && watcher.isAgain && currentRun(paths) === undefined) watcher.start();
  for (const line of cleanUpLeftovers(paths)) onNotice(line);
  const plan = new RunPlan({ paths, network, env, flags });
  const hold = await holdInstance(paths, network);
  const ports = new RunPorts({ home: paths.home, onNotice, signal });
  let page: PortUse | undefined;
  try {
    makeSecrets(paths);
    for (const line of deriveGenesis(plan.instance)) onNotice(line);
    for (const line of plan.notices()) onNotice(line);
    await prepareRun(plan, { signal, onNotice });
    await ports.take(plan.services);
    page = await claimStartPage(plan, { ports, onNotice });
  } catch (error) {
    await ports.release();
    hold.release();
    throw error;
  }

  const host = new Host();
  options.onHost?.((error) => host.takeUnhandled(error));
  watchLoop(() => host.runningPart());
  const supervisor = createSupervisor(plan.specs(hold.id), {
    host: () => host,
    describe: (name) => plan.refresh(name, hold.id),
    check: async (spec) => {
      const service = plan.find(spec.name);
      if (service?.comet !== undefined) prepareNode(service.comet);
      await ports.take([service ?? spec]);
    },
  });
  const names = plan.services.map(({ name }) => name);
  const logs = openLogs(paths, names, onNotice);
  const parts = { hold, plan, ports, supervisor, logs, watcher };
  const record = new RunRecord(parts, onNotice);
  supervisor.on((event) => {
    logs.event(event);
    if (event.kind === 'started' || event.kind === 'stopped' || event.kind === 'exited') record.update();
    onEvent(event);
  });
  supervisor.start();
  const watch = () => {
    watcher.start();
    record.update();
  };
  if (isWatched) void supervisor.ready(signal).then(watch, () => {});

  const run = new Run(parts);
  if (page !== undefined) run.attach({ page: await openStartPage(page, run, { env, programs, onNotice }) });
  try {
    const control = await serveControl(paths, run.controls());
    run.attach({ control });
    record.update(control.path);
  } catch (error) {
    onNotice(`commands from other terminals are not accepted: ${systemReason(error)}`);
  }
  const log = (line: string) => {
    logs.say(line);
    onNotice(line);
  };
  try {
    run.attach({ watch: await restartOnChange(plan, supervisor, log) });
  } catch (error) {
    log(`changed files do not restart services: ${systemReason(error)}`);
  }
  return run;
}
