import { Host } from '@switchyard/network/host';
import { Supervisor } from '@switchyard/network/supervisor';
import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { findMark } from '@switchyard/network/supervisor/processes';
import { watchLoop } from '@switchyard/service';
import { prepareNode } from '../comet/service.ts';
import { serveControl } from '../control/server.ts';
import { systemReason } from '../files/files.ts';
import { deriveGenesis } from '../init/genesis-at-start.ts';
import { currentRun, endStrays, type Hold, holdInstance, type RunningService } from '../instance/run-file.ts';
import { makeSecrets } from '../instance/secrets.ts';
import { openLogs } from '../logs/write.ts';
import { cleanUpLeftovers } from '../snapshot/leftovers.ts';
import { claimStartPage, openStartPage } from '../start-page/open.ts';
import type { Programs } from './banner.ts';
import { type PlanSource, RunPlan } from './plan.ts';
import { runPorts } from './ports.ts';
import { prepareRun } from './prepare.ts';
import { Run, type RunningInstance } from './running.ts';
import { Watcher } from './watcher.ts';

export interface StartOptions extends Omit<PlanSource, 'flags'>, Partial<Pick<PlanSource, 'flags'>> {
  /** How the user calls our command lines; by default, by their names. */
  readonly programs?: Programs;
  /** Aborts the steps before the first process, such as a download. */
  readonly signal?: AbortSignal;
  /** When this process is killed, another one starts the instance again. */
  readonly isWatched?: boolean;
  /** Receives all events from the first start on. */
  readonly onEvent?: (event: SupervisorEvent) => void;
  /** Receives harmless news for the user. */
  readonly onNotice?: (line: string) => void;
  /** Gets the receiver of errors of services that are parts of this process. */
  readonly onHost?: (takeUnhandled: (error: unknown) => boolean) => void;
}

const INSTALLED: Programs = { switchyard: 'switchyard', rollupCli: 'rollup-cli' };

/** Closes parts of a run; the last one is called first. */
type Closers = (() => unknown)[];

/**
 * Starts all services of one network of an instance: the composition root of `dev run`. When this fails, nothing has
 * been started.
 *
 * @throws {Failure} when the files are wrong, a port is taken, or the instance already runs.
 */
export async function startInstance(options: StartOptions): Promise<RunningInstance> {
  const { paths, env, programs = INSTALLED, signal, isWatched, onNotice = () => {}, onEvent = () => {} } = options;
  const closers: Closers = [];
  const close = async () => {
    for (const each of closers.toReversed()) await each();
  };
  const { watcher, plan, hold, ports, page } = await claimInstance({ ...options, onNotice }, closers).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  const host = new Host();
  options.onHost?.((error) => host.takeUnhandled(error));
  watchLoop(() => host.runningPart());
  const supervisor = new Supervisor(plan.specs(hold.id), {
    host: () => host,
    describe: (name) => plan.refresh(name, hold.id),
    check: async (spec) => {
      const service = plan.find(spec.name);
      if (service?.comet !== undefined) prepareNode(service.comet);
      await ports.take([service ?? spec]);
    },
  });
  const run = new Run(plan, supervisor, close);
  const control = await serveControl(paths, run.controls()).catch((error: unknown) =>
    onNotice(`commands from other terminals are not accepted: ${systemReason(error)}`),
  );
  closers.push(() => control?.close());
  const names = plan.services.map(({ name }) => name);
  const logs = openLogs(paths, names, onNotice);
  closers.push(() => logs.close());
  const record = recorder({ hold, plan, supervisor, watcher, control: control?.path }, onNotice);
  supervisor.on((event) => {
    logs.event(event);
    if (event.kind === 'started' || event.kind === 'stopped' || event.kind === 'exited') record();
    onEvent(event);
  });
  closers.push(async () => {
    await supervisor.stop();
    await endStrays(hold.id);
  });
  supervisor.start();
  record();
  const watch = () => {
    watcher.start();
    record();
  };
  if (isWatched) void supervisor.ready(signal).then(watch, () => {});

  const opened = page && (await openStartPage(page, run, { env, programs, onNotice }));
  run.startPage = opened?.url;
  closers.push(() => opened?.close());
  const log = (line: string) => {
    logs.say(line);
    onNotice(line);
  };
  try {
    const watched = await restartOnChange(plan, supervisor, log);
    closers.push(() => watched?.close());
  } catch (error) {
    log(`changed files do not restart services: ${systemReason(error)}`);
  }
  closers.push(() => watcher.end());
  return run;
}

/** Holds the instance and its ports, and makes what its services need before they start. @throws {Failure} */
async function claimInstance(options: StartOptions & Required<Pick<StartOptions, 'onNotice'>>, closers: Closers) {
  const { paths, network, env, flags = {}, signal, isWatched, onNotice } = options;
  const watcher = new Watcher(env);
  signal?.addEventListener('abort', () => watcher.end());
  // A failure to start may pass, unless it is that another run has the instance.
  if (isWatched && watcher.isAgain && currentRun(paths) === undefined) watcher.start();
  for (const line of cleanUpLeftovers(paths)) onNotice(line);
  const plan = new RunPlan({ paths, network, env, flags });
  const hold = await holdInstance(paths, network);
  closers.push(() => hold.release());
  const ports = runPorts({ home: paths.home, onNotice, signal });
  closers.push(() => ports.release());
  makeSecrets(paths);
  for (const line of deriveGenesis(plan.instance)) onNotice(line);
  for (const line of plan.notices()) onNotice(line);
  await prepareRun(plan, { signal, onNotice });
  await ports.take(plan.services);
  const page = await claimStartPage(plan, { ports, onNotice });
  return { watcher, plan, hold, ports, page };
}

/** Restarts a running service when one of the files that it names in `watch` changes. */
async function restartOnChange({ services, instance }: RunPlan, supervisor: Supervisor, log: (line: string) => void) {
  if (services.every((service) => service.watch.length === 0)) return undefined;
  const { watchServices } = await import('./watch.ts');
  const root = `${instance.paths.directory}/`;
  return watchServices(services, (name, path) => {
    const state = supervisor.status().find((status) => status.name === name)?.state;
    if (state === 'stopped' || state === 'stopping' || supervisor.paused) return;
    log(`${path.startsWith(root) ? path.slice(root.length) : path} has changed: restarting ${name}`);
    supervisor.restart(name).catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  });
}

interface Recorded {
  readonly hold: Hold;
  readonly plan: RunPlan;
  readonly supervisor: Supervisor;
  readonly watcher: Watcher;
  /** Path of the control socket, if there is one. */
  readonly control: string | undefined;
}

/** Keeps the run file up to date, from which the processes that a killed tool leaves behind are found. */
function recorder({ hold, plan, supervisor, watcher, control }: Recorded, onNotice: (line: string) => void) {
  const own = new Set(plan.services.filter((service) => service.own).map(({ name }) => name));
  let warned = false;
  return (): void => {
    const processes = [...supervisor.status(), { name: 'watcher', pid: watcher.pid }];
    const running = processes.flatMap(({ name, pid }): RunningService[] => {
      // A part of this process ends with it, and is not left behind.
      const mark = pid === undefined || pid === process.pid ? undefined : findMark(pid);
      return mark === undefined ? [] : [{ ...mark, name, own: own.has(name) }];
    });
    const others = plan.services.filter(({ builtin }) => builtin === undefined);
    const programs = Object.fromEntries(others.map(({ label, command }) => [label, command]));
    try {
      hold.note(running, { programs, ...(control === undefined ? {} : { control }) });
    } catch (error) {
      if (!warned) onNotice(`the run file cannot be written: ${systemReason(error)}`);
      warned = true;
    }
  };
}
