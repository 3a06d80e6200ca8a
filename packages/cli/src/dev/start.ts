import { join } from 'node:path';
import { systemReason } from './files.ts';
import type { InstancePaths } from './home.ts';
import { type Instance, readInstance } from './instance.ts';
import { requireFreePorts } from './port-check.ts';
import { holdInstance, type RunningService } from './run-file.ts';
import { overruled, type PlannedService, planServices } from './services.ts';
import type { SupervisorEvent } from './supervisor/events.ts';
import { type LogFile, openLogFile } from './supervisor/log-file.ts';
import { markOf } from './supervisor/processes.ts';
import { createSupervisor, type Supervisor } from './supervisor/supervisor.ts';

export interface StartOptions {
  readonly paths: InstancePaths;
  readonly network: string;
  readonly env: NodeJS.ProcessEnv;
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
  /** Stops the services and gives the instance free. */
  stop(): Promise<void>;
}

/**
 * Starts all services of one network of an instance. When this fails, nothing has been started.
 *
 * @throws {Failure} when the files are wrong, a port is taken, or the instance runs already.
 */
export async function startInstance(options: StartOptions): Promise<RunningInstance> {
  const { paths, env, onNotice = () => {}, onEvent = () => {} } = options;
  const instance = readInstance(paths, options.network, env);
  const services = planServices(instance, env);
  for (const line of overruled(instance)) onNotice(line);
  const hold = await holdInstance(paths, options.network);
  try {
    await requireFreePorts(services.flatMap(({ ports }) => ports));
  } catch (error) {
    hold.release();
    throw error;
  }

  const supervisor = createSupervisor(services);
  const logs = new Map<string, LogFile>();
  for (const { name } of services) {
    const path = join(paths.logs, `${fileNameOf(name)}.log`);
    logs.set(
      name,
      openLogFile(path, (error) => onNotice(`${path}: lines are lost: ${systemReason(error)}`)),
    );
  }
  const own = new Set(services.filter((service) => service.own).map(({ name }) => name));
  const noteProcesses = () => {
    const running = supervisor.status().flatMap(({ name, pid }): RunningService[] => {
      const mark = pid === undefined ? undefined : markOf(pid);
      return mark === undefined ? [] : [{ ...mark, name, own: own.has(name) }];
    });
    hold.note(running);
  };
  supervisor.on((event) => {
    if (event.kind === 'line') logs.get(event.service)?.write(event.text);
    if (event.kind === 'started') noteProcesses();
    onEvent(event);
  });
  supervisor.start();

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await supervisor.stop();
    for (const log of logs.values()) log.close();
    hold.release();
  };
  return {
    instance,
    services,
    supervisor,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** A service's name is free text; a file's is not. */
function fileNameOf(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_');
}
