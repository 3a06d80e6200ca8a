import { Budget } from '../../trace/budget.ts';
import { type FlatTrace, FlatTracer } from '../../trace/flat-tracer.ts';
import type { FrameEnd, FrameStart, Step, Tracer, TraceStart } from '../../trace/tracer.ts';
import { type StateDifference, StateDiffTracer } from './state-diff.ts';
import { type VmTrace, VmTracer } from './vm-tracer.ts';

export const KINDS = ['trace', 'stateDiff', 'vmTrace'] as const;

export interface WantedTraces {
  readonly stateDiff: StateDifference | null;
  readonly trace: readonly FlatTrace[];
  readonly vmTrace: VmTrace | null;
}

/** Collects the traces that a caller of the `trace_` methods wants of one transaction, from one execution. */
export class WantedTracer implements Tracer<WantedTraces> {
  readonly #flat: FlatTracer | undefined;
  readonly #state: StateDiffTracer | undefined;
  readonly #steps: VmTracer | undefined;
  readonly #all: readonly Tracer[];
  /** Absent if none looks at single instructions. */
  readonly step: ((step: Step) => void) | undefined;
  readonly stepped: ((cost: number, error: string | undefined) => void) | undefined;

  /** @param wanted Of `KINDS`. */
  constructor(wanted: readonly string[], budget = new Budget()) {
    this.#flat = wanted.includes('trace') ? new FlatTracer(budget) : undefined;
    this.#state = wanted.includes('stateDiff') ? new StateDiffTracer(budget) : undefined;
    this.#steps = wanted.includes('vmTrace') ? new VmTracer(budget) : undefined;
    this.#all = [this.#flat, this.#state, this.#steps].filter((tracer) => tracer !== undefined);
    const stepping = [this.#state, this.#steps].filter((tracer) => tracer !== undefined);
    if (stepping.length === 0) return;
    this.step = (step) => {
      for (const tracer of stepping) tracer.step(step);
    };
    this.stepped = (cost, error) => {
      for (const tracer of stepping) tracer.stepped(cost, error);
    };
  }

  start(start: TraceStart): void {
    for (const tracer of this.#all) tracer.start?.(start);
  }

  enter(frame: FrameStart): void {
    for (const tracer of this.#all) tracer.enter?.(frame);
  }

  exit(end: FrameEnd): void {
    for (const tracer of this.#all) tracer.exit?.(end);
  }

  result(): WantedTraces {
    return {
      stateDiff: this.#state?.result() ?? null,
      trace: this.#flat?.result() ?? [],
      vmTrace: this.#steps?.result() ?? null,
    };
  }
}
