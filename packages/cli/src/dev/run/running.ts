import type { Supervisor } from '@switchyard/network/supervisor';
import type { Controlled } from '../control/server.ts';
import type { Instance } from '../instance/instance.ts';
import type { PlannedService } from '../services/planned.ts';
import { readOverview } from '../status/overview.ts';
import type { RunPlan } from './plan.ts';

/** An instance whose services have been started. */
export type RunningInstance = Omit<Run, 'controls'>;

/** One run, from the first process to the last. */
export class Run {
  readonly supervisor: Supervisor;
  /** URL of the start page, if there is one. */
  startPage: string | undefined;
  readonly #plan: RunPlan;
  readonly #close: () => Promise<void>;
  #stopped: Promise<void> | undefined;

  /** @param close Stops the services and releases the instance. */
  constructor(plan: RunPlan, supervisor: Supervisor, close: () => Promise<void>) {
    this.#plan = plan;
    this.supervisor = supervisor;
    this.#close = close;
  }

  get instance(): Instance {
    return this.#plan.instance;
  }

  get services(): readonly PlannedService[] {
    return this.#plan.services;
  }

  /** Files of the instance that were edited since they were last read. */
  changedFiles(): string[] {
    return this.#plan.changedFiles();
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
    const read = this.#plan.reread();
    await this.supervisor.pause();
    this.supervisor.renew();
    this.#plan.confirm(read);
    await this.supervisor.resume();
  }
}
