import { systemReason } from '../files/files.ts';
import type { Hold, RunningService } from '../instance/run-file.ts';
import { markOf } from '../supervisor/processes.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { RunPlan } from './plan.ts';
import type { RunParts } from './running.ts';
import type { Watcher } from './watcher.ts';

/** Keeps the run file up to date, from which the processes that a killed tool leaves behind are found. */
export class RunRecord {
  readonly #hold: Hold;
  readonly #own: ReadonlySet<string>;
  readonly #supervisor: Supervisor;
  readonly #onNotice: (line: string) => void;
  readonly #watcher: Watcher;
  #control: string | undefined;
  readonly #plan: RunPlan;
  #warned = false;

  constructor({ hold, plan, supervisor, watcher }: RunParts, onNotice: (line: string) => void) {
    this.#hold = hold;
    this.#plan = plan;
    this.#own = new Set(plan.services.filter((service) => service.own).map(({ name }) => name));
    this.#supervisor = supervisor;
    this.#watcher = watcher;
    this.#onNotice = onNotice;
  }

  /** @param control Path of the control socket, once there is one. */
  update(control = this.#control): void {
    this.#control = control;
    const processes = [...this.#supervisor.status(), { name: 'watcher', pid: this.#watcher.pid }];
    const running = processes.flatMap(({ name, pid }): RunningService[] => {
      // A part of this process ends with it, and is not left behind.
      const mark = pid === undefined || pid === process.pid ? undefined : markOf(pid);
      return mark === undefined ? [] : [{ ...mark, name, own: this.#own.has(name) }];
    });
    const others = this.#plan.services.filter(({ builtin }) => builtin === undefined);
    const programs = Object.fromEntries(others.map(({ label, command }) => [label, command]));
    try {
      this.#hold.note(running, { programs, ...(control === undefined ? {} : { control }) });
    } catch (error) {
      if (!this.#warned) this.#onNotice(`the run file cannot be written: ${systemReason(error)}`);
      this.#warned = true;
    }
  }
}
