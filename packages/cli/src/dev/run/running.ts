import type { Controlled, ControlServer } from '../control/server.ts';
import type { Instance } from '../instance/instance.ts';
import { endStrays, type Hold } from '../instance/run-file.ts';
import type { Logs } from '../logs/write.ts';
import type { PlannedService } from '../services/planned.ts';
import { readOverview } from '../status/overview.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { RunPlan } from './plan.ts';
import type { RunPorts } from './ports.ts';
import type { Watch } from './watch.ts';
import type { Watcher } from './watcher.ts';

export interface RunParts {
  readonly hold: Hold;
  readonly plan: RunPlan;
  readonly ports: RunPorts;
  readonly supervisor: Supervisor;
  readonly logs: Logs;
  readonly watcher: Watcher;
}

interface StartPage {
  readonly url: string;
  close(): Promise<void>;
}

interface Attached {
  readonly control?: ControlServer | undefined;
  readonly watch?: Watch | undefined;
  readonly page?: StartPage | undefined;
}

/** An instance whose services have been started. */
export type RunningInstance = Omit<Run, 'attach' | 'controls'>;

/** The parts of one run, from the first process to the last. */
export class Run {
  readonly #parts: RunParts;
  #control: ControlServer | undefined;
  #watch: Watch | undefined;
  #page: StartPage | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  get instance(): Instance {
    return this.#parts.plan.instance;
  }

  get services(): readonly PlannedService[] {
    return this.#parts.plan.services;
  }

  get supervisor(): Supervisor {
    return this.#parts.supervisor;
  }

  /** URL of the start page, if there is one. */
  get startPage(): string | undefined {
    return this.#page?.url;
  }

  /** Files of the instance that were edited since they were last read. */
  changedFiles(): string[] {
    return this.#parts.plan.changedFiles();
  }

  /** Takes over the parts to be closed first at the end. */
  attach({ control, watch, page }: Attached): void {
    this.#control = control ?? this.#control;
    this.#watch = watch ?? this.#watch;
    this.#page = page ?? this.#page;
  }

  /** Stops the services and releases the instance. */
  stop(): Promise<void> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  /** Operations for the control socket. */
  controls(): Controlled {
    const { supervisor } = this;
    return {
      status: async () => ({
        overview: await readOverview(this),
        services: supervisor.status(),
        paused: supervisor.paused,
        changedFiles: this.changedFiles(),
      }),
      service: (name, verb) => {
        if (verb === 'start') return supervisor.startService(name);
        return verb === 'stop' ? supervisor.stopService(name) : supervisor.restart(name);
      },
      all: async (verb) => {
        if (verb === 'restart') await this.#restartAll();
        else await supervisor[verb]();
      },
    };
  }

  async #restartAll(): Promise<void> {
    const { plan, supervisor } = this.#parts;
    const read = plan.reread();
    await supervisor.pause();
    supervisor.renew();
    plan.confirm(read);
    await supervisor.resume();
  }

  async #close(): Promise<void> {
    const { hold, ports, supervisor, logs, watcher } = this.#parts;
    watcher.end();
    await this.#watch?.close();
    await this.#page?.close();
    await supervisor.stop();
    await endStrays(hold.id);
    logs.close();
    await this.#control?.close();
    await ports.release();
    hold.release();
  }
}
