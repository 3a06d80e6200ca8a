import { Failure } from '../../failure.ts';
import { requireVersion } from '../comet/binary.ts';
import { prepareNode } from '../comet/service.ts';
import { unknownKeyNotice } from '../config/check/unknown.ts';
import { isRemote, withRole } from '../config/roles.ts';
import { type ControlServer, serveControl } from '../control/server.ts';
import { systemReason } from '../files/files.ts';
import { changedSince, fingerprints } from '../instance/changed-files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { type Instance, readInstance } from '../instance/instance.ts';
import {
  endStrays,
  type Hold,
  holdInstance,
  RUN_VARIABLE,
  type RunningService,
  whoseProcess,
} from '../instance/run-file.ts';
import { makeSecrets } from '../instance/secrets.ts';
import { openLogs } from '../logs/write.ts';
import { type Flags, withFlags } from '../services/flags.ts';
import { notedProgram } from '../services/program.ts';
import { overruled, type PlannedService, planServices } from '../services/services.ts';
import { mendLeftovers } from '../snapshot/leftovers.ts';
import { overviewOf } from '../status/overview.ts';
import type { SupervisorEvent } from '../supervisor/events.ts';
import { markOf } from '../supervisor/processes.ts';
import { createSupervisor, type Supervisor } from '../supervisor/supervisor.ts';
import { compactAtStart } from './compact-at-start.ts';
import { requireFreePorts } from './port-check.ts';
import { ReservedPorts } from './reserved-ports.ts';
import type { Watch } from './watch.ts';

export interface StartOptions {
  readonly paths: InstancePaths;
  readonly network: string;
  readonly env: NodeJS.ProcessEnv;
  /** What was said on the command line; wins over the files. */
  readonly flags?: Flags;
  /** Ends what comes before the first process, such as a download. */
  readonly signal?: AbortSignal;
  /** Hears everything from the first start on. */
  readonly onEvent?: (event: SupervisorEvent) => void;
  /** Hears what the user should know and what stops nothing. */
  readonly onNotice?: (line: string) => void;
}

/** An instance whose services have been started. */
export interface RunningInstance {
  readonly instance: Instance;
  readonly services: readonly PlannedService[];
  readonly supervisor: Supervisor;
  /** Resolves when somebody asks over the control socket that all ends. */
  readonly stopRequested: Promise<string>;
  /** Files of the instance that were edited since they were last read. */
  changedFiles(): string[];
  /** Stops the services and gives the instance free. */
  stop(): Promise<void>;
}

/**
 * Starts all services of one network of an instance. When this fails, nothing has been started.
 *
 * @throws {Failure} when the files are wrong, a port is taken, or the instance runs already.
 */
export async function startInstance(options: StartOptions): Promise<RunningInstance> {
  const { paths, env, flags = {}, onNotice = () => {}, onEvent = () => {} } = options;
  for (const line of mendLeftovers(paths)) onNotice(line);
  const read = () => withFlags(readInstance(paths, options.network, env), flags);
  let seen = fingerprints(paths);
  const instance = read();
  const services = planServices(instance, env);
  const specOf = (service: PlannedService): PlannedService => ({
    ...service,
    env: { ...service.env, [RUN_VARIABLE]: hold.id },
  });
  for (const line of [...overruled(instance), unknownKeyNotice(instance)]) {
    if (line !== undefined) onNotice(line);
  }
  const hold = await holdInstance(paths, options.network);
  const whose = whoseProcess(paths.home);
  const reserved = new ReservedPorts();
  const takePorts = async (starting: readonly Pick<PlannedService, 'own' | 'comet' | 'ports'>[]) => {
    await requireFreePorts(
      starting.flatMap(({ ports }) => ports),
      whose,
    );
    // A program of the user's may not share a port, as ours and CometBFT do.
    const sharing = starting.filter(({ own, comet }) => own || comet !== undefined);
    await reserved.add(sharing.flatMap(({ ports }) => ports.map(({ port }) => port)));
  };
  try {
    makeSecrets(paths);
    await prepare(services, instance, options);
    for (const line of await compactAtStart(paths.data)) onNotice(line);
    await takePorts(services);
  } catch (error) {
    hold.release();
    throw error;
  }

  const plannedAnew = (): PlannedService[] => {
    const planned = planServices(read(), env);
    for (const { download, name } of planned) {
      if (download === undefined || notedProgram(download.directory) !== undefined) continue;
      throw new Failure(`${name} has to be downloaded first: \`switchyard dev stop\`, then \`switchyard dev run\``);
    }
    return planned;
  };
  const supervisor = createSupervisor(services.map(specOf), {
    describe(name) {
      const found = plannedAnew().find((service) => service.name === name);
      if (found === undefined) throw new Failure(`${paths.networks}: has no service ${name} any more`);
      const index = services.findIndex((service) => service.name === name);
      services[index] = found;
      return specOf(found);
    },
    check: async (spec) => {
      const planned = services.find(({ name }) => name === spec.name);
      if (planned?.comet !== undefined) prepareNode(planned.comet);
      await takePorts([planned ?? spec]);
    },
  });
  const logs = openLogs(
    paths,
    services.map(({ name }) => name),
    onNotice,
  );
  let control: ControlServer | undefined;
  const note = noter(hold, supervisor, services, onNotice);
  supervisor.on((event) => {
    logs.event(event);
    if (event.kind === 'started' || event.kind === 'stopped' || event.kind === 'exited') note(control?.path);
    onEvent(event);
  });
  supervisor.start();

  let ask: (why: string) => void = () => {};
  const stopRequested = new Promise<string>((resolve) => {
    ask = resolve;
  });
  let watch: Watch | undefined;
  let stopped: Promise<void> | undefined;
  const running: RunningInstance = {
    instance,
    services,
    supervisor,
    stopRequested,
    changedFiles: () => changedSince(seen, paths),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };

  async function stop(): Promise<void> {
    await watch?.close();
    await supervisor.stop();
    await endStrays(hold.id);
    logs.close();
    await control?.close();
    await reserved.release();
    hold.release();
  }

  async function restartAll(): Promise<void> {
    const now = fingerprints(paths);
    const planned = plannedAnew();
    const names = (list: readonly PlannedService[]) => list.map(({ name }) => name).sort();
    if (names(planned).join() !== names(services).join()) {
      throw new Failure(
        `${paths.networks}: has other services now (${names(planned).join(', ')}): \`switchyard dev stop\`, then \`switchyard dev run\``,
      );
    }
    await supervisor.pause();
    supervisor.renew();
    seen = now;
    await supervisor.resume();
  }

  try {
    control = await serveControl(paths, {
      status: async () => ({
        overview: await overviewOf(running),
        services: supervisor.status(),
        paused: supervisor.paused,
        changedFiles: running.changedFiles(),
      }),
      service: (name, verb) => {
        if (verb === 'start') return supervisor.startService(name);
        return verb === 'stop' ? supervisor.stopService(name) : supervisor.restart(name);
      },
      async all(verb) {
        if (verb === 'stop') ask('switchyard dev stop');
        else await { restart: restartAll, pause: supervisor.pause, resume: supervisor.resume }[verb]();
      },
      on: supervisor.on,
    });
    note(control.path);
  } catch (error) {
    onNotice(`no orders are taken from other terminals: ${systemReason(error)}`);
  }
  const say = (line: string) => {
    logs.say(line);
    onNotice(line);
  };
  try {
    watch = await watching(running, say);
  } catch (error) {
    say(`changed files restart nothing: ${systemReason(error)}`);
  }
  return running;
}

/** What can take long, or be refused, before the ports are looked at. */
async function prepare(services: PlannedService[], instance: Instance, options: StartOptions): Promise<void> {
  const say = options.onNotice ?? (() => {});
  if (isRemote(instance.network) && withRole(instance.network, 'composer').length > 0) {
    // What talks to a sequencer is only needed here.
    const { checkComposerFunds } = await import('../networks/funds.ts');
    const told = await checkComposerFunds(instance);
    if (told !== undefined) say(told);
  }
  const nodes = services.filter(({ comet }) => comet !== undefined);
  for (const program of new Set(nodes.map(({ command }) => command))) await requireVersion(program);
  for (const [index, service] of services.entries()) {
    if (service.comet !== undefined) prepareNode(service.comet);
    if (service.download === undefined) continue;
    // What fetches and unpacks is only needed here.
    const { fetchProgram } = await import('../services/download.ts');
    const { signal } = options;
    const command = await fetchProgram(service.download, { say, ...(signal === undefined ? {} : { signal }) });
    services[index] = { ...service, command };
  }
}

/** Keeps the run file up to date. Without it, only what a killed tool leaves behind would not be found. */
function noter(
  hold: Hold,
  supervisor: Supervisor,
  services: readonly PlannedService[],
  onNotice: (line: string) => void,
) {
  let told = false;
  const own = new Set(services.filter((service) => service.own).map(({ name }) => name));
  return (control: string | undefined) => {
    const running = supervisor.status().flatMap(({ name, pid }): RunningService[] => {
      const mark = pid === undefined ? undefined : markOf(pid);
      return mark === undefined ? [] : [{ ...mark, name, own: own.has(name) }];
    });
    try {
      hold.note(running, control);
    } catch (error) {
      if (!told) onNotice(`the run file cannot be written: ${systemReason(error)}`);
      told = true;
    }
  };
}

async function watching(
  { services, supervisor, instance }: RunningInstance,
  say: (line: string) => void,
): Promise<Watch | undefined> {
  if (services.every((service) => service.watch.length === 0)) return undefined;
  const { watchServices } = await import('./watch.ts');
  return watchServices(services, (name, path) => {
    const state = supervisor.status().find((status) => status.name === name)?.state;
    if (state === 'stopped' || state === 'stopping' || supervisor.paused) return;
    const short = path.startsWith(`${instance.paths.directory}/`)
      ? path.slice(instance.paths.directory.length + 1)
      : path;
    say(`${short} has changed: ${name} is started again`);
    supervisor.restart(name).catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
  });
}
