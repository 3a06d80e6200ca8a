import { systemReason } from '../files/files.ts';
import type { Hold, RunningService } from '../instance/run-file.ts';
import { markOf } from '../supervisor/processes.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { RunPlan } from './plan.ts';

/** Keeps the run file up to date, from which the processes that a killed tool leaves behind are found. */
export class RunRecord {
  readonly #hold: Hold;
  readonly #own: ReadonlySet<string>;
  readonly #supervisor: Supervisor;
  readonly #onNotice: (line: string) => void;
  #control: string | undefined;
  readonly #plan: RunPlan;
  #warned = false;

  constructor(hold: Hold, plan: RunPlan, supervisor: Supervisor, onNotice: (line: string) => void) {
    this.#hold = hold;
    this.#plan = plan;
    this.#own = new Set(plan.services.filter((service) => service.own).map(({ name }) => name));
    this.#supervisor = supervisor;
    this.#onNotice = onNotice;
  }

  /** @param control Path of the control socket, once there is one. */
  update(control = this.#control): void {
    this.#control = control;
    const running = this.#supervisor.status().flatMap(({ name, pid }): RunningService[] => {
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
